#pragma once

#include <utility>
#include <vector>

#include "actors/messages/failure.hpp"
#include "actors/rounds/members.hpp"
#include "actors/rounds/round.hpp"
#include "actors/rounds/witness.hpp"
#include "runtime/clock.hpp"

namespace troupe {

/// What a round is a part of: for its end, and for errors.
struct Phase {
  const char* name = "";
  std::int64_t step = -1;  ///< that is being made
  Deadline deadline{std::chrono::milliseconds(0)};
};

/// Makes errors of what went wrong in a round: of a worker that threw, members that were lost or silent, and nodes that
/// others blame.
class Blame {
 public:
  Blame(const Members& members, Witness& witness) : members_(members), witness_(witness) {}

  using Failures = std::vector<std::pair<int, Failure>>;  ///< by member

  Where where(int member, const Phase& phase) const;
  /// What members answered: one that failed by itself, or else, since who waited for a node may have waited for one
  /// that waited itself, one that blames a node which has not answered.
  Error of_failures(const Round& round, const Failures& failures, const Phase& phase) const;
  /// A member that the round waits for is gone.
  Error of_loss(int member, const Phase& phase) const;
  /// Nobody of the missing answered in time.
  Error of_silence(const Round& round, const Phase& phase) const;

 private:
  std::string names_of(const std::vector<int>& missing) const;

  const Members& members_;
  Witness& witness_;
};

}  // namespace troupe
