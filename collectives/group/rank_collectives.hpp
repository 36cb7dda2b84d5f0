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
/// A short vector lies beside the call, and each rank makes all of the result, after one barrier. A long one goes
/// through in chunks that stay in the cache: each rank writes its own, meets the others, makes its slice of the result,
/// meets them again, and reads the whole. So memory outside of the caches is read once and written once. Of other
/// machines come, instead of their ranks' chunks, what these add up to, and what their ranks made.
class RankCollectives {
 public:
  using MakeStaging = std::function<Staging()>;

  /// @param remote null where all ranks are on this machine. @param stage asked when the first long vector comes
  RankCollectives(SharedBarrier& barrier, RemoteRanks* remote, MakeStaging stage, std::chrono::milliseconds timeout);

  /// Returns when all ranks have come. @throws Error as `run`
  /// @param absent asked now and then: a rank that does not come
  void begin(const AskAbsent& absent);
  /// @throws Error as `Group` says
  void run(const Collective& call);

 private:
  int rank() const { return barrier_.layout().rank; }
  int size() const { return barrier_.layout().size; }
  /// What is wrong where ranks have called something else.
  using Difference = std::optional<Error>;
  Difference perform(const Collective& call);
  Difference meet_all(std::size_t payload_bytes, const Deadline& deadline);
  /// Nobody reads any more what this rank is about to write.
  void meet_again(const Collective& call, const Deadline& deadline);
  Difference run_short(const Collective& call, const Deadline& deadline);
  Difference run_long(const Collective& call, const Deadline& deadline);
  void pass_through(const Collective& call, const Deadline& deadline);
  void all_reduce(const Collective& call, const Deadline& deadline);
  void reduce_scatter(const Collective& call, const Deadline& deadline);
  void all_gather(const Collective& call, const Deadline& deadline);
  void broadcast(const Collective& call, const Deadline& deadline);
  /// Sends what other ranks' slices get of this machine's chunks, and makes this rank's.
  void make_slice(const Collective& call, const SliceOf& slice_of, std::byte* out, const Deadline& deadline);
  const std::byte* made_by(int rank, const Deadline& deadline);
  std::size_t piece_bytes() const { return staging_.piece_bytes; }

  SharedBarrier& barrier_;
  RemoteRanks* remote_;
  MakeStaging stage_;
  std::chrono::milliseconds timeout_;
  Staging staging_;
  std::exception_ptr failed_;              ///< what ended the group for this rank
  std::vector<Range> ranks_;               ///< each by itself
  std::vector<Range> terms_;               ///< ranks of this machine, and subtrees of others, which tile all
  std::vector<const std::byte*> sources_;  ///< scratch: one of each
};

}  // namespace troupe
