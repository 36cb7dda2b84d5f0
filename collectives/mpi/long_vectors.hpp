#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "collectives/group/collective.hpp"
#include "collectives/mpi/traffic.hpp"

namespace troupe {

/// Runs collectives on long vectors, block by block (a block is at most kChunkBytes of the vector). MPI reads and
/// writes buffers of this class, never the user's memory. So a collective may throw and return the user's memory
/// although a transfer to or from another rank is not complete.
class LongVectors {
 public:
  /// @param traffic the transfers to and from other ranks
  /// @param finish a function that blocks until all transfers of `traffic` are complete; throws Error if a rank is
  /// missing or late
  LongVectors(int rank, int size, Traffic& traffic, std::function<void()> finish);

  /// Runs the collective `call`. Must be called only after it is known that all ranks make the same call.
  /// @throws Error from `finish`
  void run(const Collective& call);
  /// Returns the owner of the buffers that transfers use. The buffers stay valid while the caller keeps the returned
  /// pointer.
  std::shared_ptr<void> memory() const { return memory_; }

  /// The approximate size of a block in bytes. The exact size depends on the collective, because the ranks' parts of a
  /// block are rounded to whole elements or cache lines.
  static constexpr std::size_t kChunkBytes = std::size_t{1} << 20;

 private:
  struct Memory {
    std::vector<std::byte> chunk;  ///< this rank's block, which is overwritten by the result
    std::vector<std::byte> came;   ///< data that other ranks send
  };

  void all_reduce(const Collective& call);
  void reduce_scatter(const Collective& call);
  void all_gather(const Collective& call);
  void broadcast(const Collective& call);
  /// Sends this rank's slice of the block in `Memory::chunk` to the other ranks, and receives the slices of the other
  /// ranks. Afterwards the block is complete on all ranks.
  /// @param bytes the size of the block in bytes
  /// @param root a rank that already has the whole block and receives nothing; -1: no such rank
  void gather_slices(std::size_t bytes, int root = -1);
  std::byte* chunk_at(std::size_t offset) { return memory_->chunk.data() + offset; }
  std::byte* came_at(std::size_t offset) { return memory_->came.data() + offset; }
  /// Returns one pointer per rank, each to `bytes` bytes of the rank's data. This rank's data is in `Memory::chunk` at
  /// the offset `in_chunk`. The data of the other ranks is in `Memory::came`, in order of rank.
  const std::byte* const* sources(std::size_t in_chunk, std::size_t bytes);

  int rank_, size_;
  Traffic& traffic_;
  std::function<void()> finish_;
  std::shared_ptr<Memory> memory_;
  std::vector<Range> ranks_;               ///< by rank: the range that contains only this rank
  std::vector<const std::byte*> sources_;  ///< scratch: the result of `sources`
};

}  // namespace troupe
