#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "actors/messages/failure.hpp"
#include "actors/rounds/failure_detector.hpp"
#include "actors/rounds/members.hpp"
#include "actors/rounds/phase.hpp"
#include "actors/rounds/round.hpp"

namespace troupe {

/// What goes wrong in a round, and the error that comes of it: a worker whose model threw, or a node that failed, says
/// so with its reply; members are lost; members are silent.
///
/// Who fails by himself ends the round at once. Who blames another node may have waited for one that waited itself, so
/// others have half a second to say more.
class Failures {
 public:
  Failures(const Members& members, FailureDetector& detector) : members_(members), detector_(detector) {}

  /// A round begins.
  void clear();
  void note(int member, const Failure& failure, const Phase& phase);
  bool any() const { return !noted_.empty(); }
  /// It is clear whose fault it is: nobody else is waited for.
  bool clear_cut() const { return clear_cut_; }
  /// Until when others may say more; none before anybody has failed.
  const std::optional<Deadline>& deadline() const { return deadline_; }

  Where where(int member, const Phase& phase) const;
  /// Of what members answered: one that failed by itself, or else one that blames a node which has not answered.
  Error of_answers(const Round& round, const Phase& phase) const;
  /// A member that the round waits for is gone.
  Error of_loss(int member, const Phase& phase) const;
  /// Nobody of the missing answered in time.
  Error of_silence(const Round& round, const Phase& phase) const;

 private:
  std::string names_of(const std::vector<int>& missing) const;

  const Members& members_;
  FailureDetector& detector_;
  std::vector<std::pair<int, Failure>> noted_;  ///< by member
  std::optional<Deadline> deadline_;
  bool clear_cut_ = false;
};

}  // namespace troupe
