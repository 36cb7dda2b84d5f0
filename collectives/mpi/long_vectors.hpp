#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "collectives/group/collective.hpp"
#include "collectives/mpi/traffic.hpp"

namespace troupe {

/// Collectives on long vectors, in chunks. MPI reads and writes buffers of this class, never the user's memory, so that
/// a call can end while another rank is silent.
class LongVectors {
 public:
  /// @param finish returns when the traffic is complete
  /// @throws Error if the traffic does not complete
  LongVectors(int rank, int size, Traffic& traffic, std::function<void()> finish);

  void run(const Collective& call);
  /// Returns the buffers that the traffic uses. They live as long as a caller holds them.
  std::shared_ptr<void> memory() const { return memory_; }

  /// The approximate size of all data of one rank in a chunk.
  static constexpr std::size_t kChunkBytes = std::size_t{1} << 20;

 private:
  struct Memory {
    std::vector<std::byte> chunk;  ///< this rank's data, later the result
    std::vector<std::byte> came;   ///< received from the other ranks
  };

  void all_reduce(const Collective& call);
  void reduce_scatter(const Collective& call);
  void all_gather(const Collective& call);
  void broadcast(const Collective& call);
  /// Exchanges slices so that all ranks have the slices of all ranks in `chunk`.
  /// @param root a rank that has the whole chunk already; -1: none
  void gather_slices(std::size_t bytes, int root = -1);
  std::byte* chunk_at(std::size_t offset) { return memory_->chunk.data() + offset; }
  std::byte* came_at(std::size_t offset) { return memory_->came.data() + offset; }
  /// Returns pointers to `bytes` bytes of each rank: this rank's in `chunk`, the others' in `came`, one after the
  /// other.
  const std::byte* const* sources(std::size_t in_chunk, std::size_t bytes);

  int rank_, size_;
  Traffic& traffic_;
  std::function<void()> finish_;
  std::shared_ptr<Memory> memory_;
  std::vector<Range> ranks_;               ///< ranges of one rank each
  std::vector<const std::byte*> sources_;  ///< scratch
};

}  // namespace troupe
