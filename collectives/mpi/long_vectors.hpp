#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "collectives/group/collective.hpp"
#include "collectives/mpi/traffic.hpp"

namespace troupe {

/// Collectives of long vectors, in chunks: what MPI reads and writes is memory of its own, never the user's, so that a
/// call can end while another rank is silent.
class LongVectors {
 public:
  /// @param finish returns when the traffic is done. @throws Error where that does not come
  LongVectors(int rank, int size, Traffic& traffic, std::function<void()> finish);

  void run(const Collective& call);
  /// What the traffic uses; it stays as long as somebody has it.
  std::shared_ptr<void> memory() const { return memory_; }

  /// Of all that a rank has of a chunk, about.
  static constexpr std::size_t kChunkBytes = std::size_t{1} << 20;

 private:
  struct Memory {
    std::vector<std::byte> chunk;  ///< this rank's, and then the result
    std::vector<std::byte> came;   ///< of the others
  };

  void all_reduce(const Collective& call);
  void reduce_scatter(const Collective& call);
  void all_gather(const Collective& call);
  void broadcast(const Collective& call);
  /// All ranks have the slices of all in `chunk`. @param root who has all of it already; -1: nobody
  void gather_slices(std::size_t bytes, int root = -1);
  std::byte* chunk_at(std::size_t offset) { return memory_->chunk.data() + offset; }
  std::byte* came_at(std::size_t offset) { return memory_->came.data() + offset; }
  /// As many bytes of each rank: this one's in `chunk`, the others' in `came`, one behind the other.
  const std::byte* const* sources(std::size_t in_chunk, std::size_t bytes);

  int rank_, size_;
  Traffic& traffic_;
  std::function<void()> finish_;
  std::shared_ptr<Memory> memory_;
  std::vector<Range> ranks_;               ///< each by itself
  std::vector<const std::byte*> sources_;  ///< scratch
};

}  // namespace troupe
