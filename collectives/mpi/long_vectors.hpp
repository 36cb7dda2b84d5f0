#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "collectives/group/collective.hpp"
#include "collectives/mpi/traffic.hpp"

namespace troupe {

/// Runs collectives on long vectors, chunk by chunk. MPI reads and writes buffers of this class, never the user's
/// memory. So a call can end with an error although another rank has not completed a transfer.
class LongVectors {
 public:
  /// @param traffic starts and checks the transfers
  /// @param finish a function that blocks until all transfers of `traffic` are complete, or throws Error
  LongVectors(int rank, int size, Traffic& traffic, std::function<void()> finish);

  /// Runs a collective, after the ranks have agreed that all of them call it.
  /// @throws Error from `finish`
  void run(const Collective& call);
  /// Returns the buffers that transfers use. They stay valid while the caller keeps the returned pointer.
  std::shared_ptr<void> memory() const { return memory_; }

  /// The number of bytes that one rank contributes to a chunk, approximately: sizes are rounded to whole elements and
  /// cache lines.
  static constexpr std::size_t kChunkBytes = std::size_t{1} << 20;

 private:
  struct Memory {
    std::vector<std::byte> chunk;  ///< this rank's data, overwritten by the result
    std::vector<std::byte> came;   ///< data that other ranks send
  };

  void all_reduce(const Collective& call);
  void reduce_scatter(const Collective& call);
  void all_gather(const Collective& call);
  void broadcast(const Collective& call);
  /// Sends this rank's slice in `chunk` to the other ranks and receives their slices, so that `chunk` is complete on
  /// all ranks.
  /// @param bytes the size of the chunk
  /// @param root a rank that already has the whole chunk and receives nothing; -1: no such rank
  void gather_slices(std::size_t bytes, int root = -1);
  std::byte* chunk_at(std::size_t offset) { return memory_->chunk.data() + offset; }
  std::byte* came_at(std::size_t offset) { return memory_->came.data() + offset; }
  /// Returns one pointer per rank, each to `bytes` bytes: for this rank to the offset `in_chunk` of `chunk`, for other
  /// ranks into `came`, where their data lies in order of rank.
  const std::byte* const* sources(std::size_t in_chunk, std::size_t bytes);

  int rank_, size_;
  Traffic& traffic_;
  std::function<void()> finish_;
  std::shared_ptr<Memory> memory_;
  std::vector<Range> ranks_;               ///< ranges of one rank each
  std::vector<const std::byte*> sources_;  ///< scratch: the result of `sources`
};

}  // namespace troupe
