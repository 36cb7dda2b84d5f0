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

/// One rank's part in collectives.
///
/// A short vector is stored next to the call record, and each rank computes its whole result after one barrier. A long
/// vector passes through shared memory in chunks that stay in the cache. Each rank writes its chunk and waits for the
/// others, computes its slice of the result and waits again, then reads the whole result. So memory outside the caches
/// is read once and written once. From other machines come sums over their ranks instead of the ranks' chunks, and the
/// slices that their ranks computed.
class RankCollectives {
 public:
  using MakeStaging = std::function<Staging()>;

  /// @param remote null if all ranks are on this machine
  /// @param stage called for the first long vector
  RankCollectives(SharedBarrier& barrier, RemoteRanks* remote, MakeStaging stage, std::chrono::milliseconds timeout);

  /// Returns when all ranks have arrived.
  /// @param absent called from time to time; returns a rank that will not arrive
  /// @throws Error as `run`
  void begin(const AskAbsent& absent);
  /// @throws Error as documented at `Group`
  void run(const Collective& call);

 private:
  int rank() const { return barrier_.layout().rank; }
  int size() const { return barrier_.layout().size; }
  /// The error if ranks have called different collectives.
  using Difference = std::optional<Error>;
  Difference perform(const Collective& call);
  Difference meet_all(std::size_t payload_bytes, const Deadline& deadline);
  /// Waits until no rank reads the memory that this rank writes next.
  void meet_again(const Collective& call, const Deadline& deadline);
  Difference run_short(const Collective& call, const Deadline& deadline);
  Difference run_long(const Collective& call, const Deadline& deadline);
  void pass_through(const Collective& call, const Deadline& deadline);
  void all_reduce(const Collective& call, const Deadline& deadline);
  void reduce_scatter(const Collective& call, const Deadline& deadline);
  void all_gather(const Collective& call, const Deadline& deadline);
  void broadcast(const Collective& call, const Deadline& deadline);
  /// Sends the sums of this machine's chunks for the slices of ranks on other machines, and computes this rank's slice.
  void make_slice(const Collective& call, const SliceOf& slice_of, std::byte* out, const Deadline& deadline);
  const std::byte* made_by(int rank, const Deadline& deadline);
  std::size_t piece_bytes() const { return staging_.piece_bytes; }

  SharedBarrier& barrier_;
  RemoteRanks* remote_;
  MakeStaging stage_;
  std::chrono::milliseconds timeout_;
  Staging staging_;
  std::exception_ptr failed_;              ///< the error that ended the group for this rank
  std::vector<Range> ranks_;               ///< ranges of one rank each
  std::vector<Range> terms_;               ///< single ranks of this machine and subtrees of other machines; together
                                           ///< they tile all ranks
  std::vector<const std::byte*> sources_;  ///< scratch: one per term, or per rank
};

}  // namespace troupe
