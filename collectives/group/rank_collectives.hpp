#pragma once

#include <chrono>
#include <exception>
#include <functional>
#include <optional>
#include <vector>

#include "collectives/group/remote_ranks.hpp"
#include "collectives/group/shared_barrier.hpp"
#include "collectives/group/staging.hpp"

namespace troupe {

/// Executes one rank's part of collectives.
///
/// A short vector is stored next to the call record. After one barrier, each rank computes its whole result from the
/// vectors of all ranks.
///
/// A long vector passes through shared memory in chunks that stay in the cache. Each rank writes its chunk and waits
/// for the others. It then computes its slice of the result and waits again, and finally reads the slices of all ranks.
/// So the user's vectors are read from memory once and written once. Another machine sends sums over its ranks instead
/// of each rank's chunk, and the slices that its ranks have computed.
class RankCollectives {
 public:
  using MakeStaging = std::function<Staging()>;

  /// @param remote the connection to ranks on other machines; null if all ranks are on this machine
  /// @param stage called before the first long vector; returns the memory through which long vectors pass
  /// @param timeout the time limit of each collective
  RankCollectives(SharedBarrier& barrier, RemoteRanks* remote, MakeStaging stage, std::chrono::milliseconds timeout);

  /// Blocks until all ranks have called `begin`.
  /// @param absent called repeatedly while this call waits; returns a rank that will not arrive
  /// @throws Error like `run`
  void begin(const AskAbsent& absent);
  /// Runs a collective. If ranks called different collectives, throws, and the group stays usable. After any other
  /// error, every later call throws the same error.
  /// @throws Error as documented at `Group`
  void run(const Collective& call);

 private:
  int rank() const { return barrier_.layout().rank; }
  int size() const { return barrier_.layout().size; }
  /// An error that states that ranks called different collectives; std::nullopt if all calls match.
  using Difference = std::optional<Error>;
  Difference perform(const Collective& call);
  /// Waits until all ranks of the group have made their next call. Sends this rank's call record, and `payload_bytes`
  /// bytes of its payload, to other machines.
  Difference meet_all(std::size_t payload_bytes, const Deadline& deadline);
  /// Waits until all ranks have read the current chunk, so that this rank may overwrite its memory with the next chunk.
  void meet_again(const Collective& call, const Deadline& deadline);
  Difference run_short(const Collective& call, const Deadline& deadline);
  Difference run_long(const Collective& call, const Deadline& deadline);
  void pass_through(const Collective& call, const Deadline& deadline);
  void all_reduce(const Collective& call, const Deadline& deadline);
  void reduce_scatter(const Collective& call, const Deadline& deadline);
  void all_gather(const Collective& call, const Deadline& deadline);
  void broadcast(const Collective& call, const Deadline& deadline);
  /// Sends sums of this machine's chunks to the ranks on other machines, to each rank for its slice. Then computes this
  /// rank's slice of the current chunk and writes it to `out`.
  void make_slice(const Collective& call, const SliceOf& slice_of, std::byte* out, const Deadline& deadline);
  /// Waits until the slice that `rank` computed is in this machine's memory, and returns its address. For a rank on
  /// this machine, the caller must have waited already.
  const std::byte* made_by(int rank, const Deadline& deadline);
  std::size_t piece_bytes() const { return staging_.piece_bytes; }

  SharedBarrier& barrier_;
  RemoteRanks* remote_;
  MakeStaging stage_;
  std::chrono::milliseconds timeout_;
  Staging staging_;
  std::exception_ptr failed_;              ///< the error that ended the group for this rank
  std::vector<Range> ranks_;               ///< ranges of one rank each
  std::vector<Range> terms_;               ///< the ranks that each input of a slice covers: single ranks of this
                                           ///< machine and complete subtrees of other machines, in order
  std::vector<const std::byte*> sources_;  ///< scratch: one pointer per term, or per rank
};

}  // namespace troupe
