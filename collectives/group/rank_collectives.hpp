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

/// Executes one rank's part of collectives. There are two methods, for short and for long vectors.
///
/// A short vector (at most SharedBarrier::kPayloadBytes) is written into shared memory next to the rank's call record.
/// After one barrier, each rank computes its whole result from the vectors of all ranks.
///
/// A long vector is exchanged through shared memory, block by block (see Staging). Each rank writes its block, and
/// waits for the other ranks. Then the rank computes its slice of the result and waits again. Finally it reads the
/// slices of all ranks. Blocks stay in the cache, so the user's vectors are read from memory once and written once.
/// Ranks on another machine do not send their blocks; they send sums over the ranks of their machine, and the slices
/// that they have computed.
class RankCollectives {
 public:
  using MakeStaging = std::function<Staging()>;

  /// @param remote the connection to ranks on other machines; null if all ranks are on this machine
  /// @param stage called before the first long vector; returns the memory through which long vectors are exchanged
  /// @param timeout the time limit of each collective
  RankCollectives(SharedBarrier& barrier, RemoteRanks* remote, MakeStaging stage, std::chrono::milliseconds timeout);

  /// Blocks until all ranks of the group have called `begin`.
  /// @param absent called repeatedly while `begin` waits; returns a rank that will not arrive, if one is known
  /// @throws Error for the same reasons as `run`
  void begin(const AskAbsent& absent);
  /// Runs the collective `call`. If ranks have called different collectives, throws on all ranks, and the group stays
  /// usable. After any other error, every later call throws the same error.
  /// @throws Error as documented at `Group`
  void run(const Collective& call);

 private:
  int rank() const { return barrier_.layout().rank; }
  int size() const { return barrier_.layout().size; }
  /// The error for ranks that have called different collectives; std::nullopt if the calls of all ranks match.
  using Difference = std::optional<Error>;
  Difference perform(const Collective& call);
  /// Sends this rank's call record, and the first `payload_bytes` bytes of its payload, to other machines. Then blocks
  /// until all ranks of the group have made the same number of calls. Returns the difference between the calls, if
  /// there is one.
  Difference meet_all(std::size_t payload_bytes, const Deadline& deadline);
  /// Blocks until all ranks have read the data of the current block, so that this rank may write its next block into
  /// the same memory.
  void meet_again(const Collective& call, const Deadline& deadline);
  Difference run_short(const Collective& call, const Deadline& deadline);
  Difference run_long(const Collective& call, const Deadline& deadline);
  void pass_through(const Collective& call, const Deadline& deadline);
  void all_reduce(const Collective& call, const Deadline& deadline);
  void reduce_scatter(const Collective& call, const Deadline& deadline);
  void all_gather(const Collective& call, const Deadline& deadline);
  void broadcast(const Collective& call, const Deadline& deadline);
  /// Sends sums over the blocks of this machine to the ranks on other machines: to each rank the sums for that rank's
  /// slice. Then computes this rank's slice of the result and writes it to `out`.
  void make_slice(const Collective& call, const SliceOf& slice_of, std::byte* out, const Deadline& deadline);
  /// Blocks until the slice that `rank` has computed is in this machine's memory, and returns the slice's address. If
  /// `rank` is on this machine, does not wait; the caller must have waited in the barrier before.
  const std::byte* made_by(int rank, const Deadline& deadline);
  std::size_t piece_bytes() const { return staging_.piece_bytes; }

  SharedBarrier& barrier_;
  RemoteRanks* remote_;
  MakeStaging stage_;
  std::chrono::milliseconds timeout_;
  Staging staging_;
  std::exception_ptr failed_;              ///< the error that ended the group for this rank
  std::vector<Range> ranks_;               ///< by rank: the range that contains only this rank
  std::vector<Range> terms_;               ///< the ranks that each input of this rank's slice covers, in order: single
                                           ///< ranks of this machine, and complete subtrees of ranks on other machines
  std::vector<const std::byte*> sources_;  ///< scratch: one pointer per element of `terms_`, or per rank
};

}  // namespace troupe
