#pragma once

#include <chrono>
#include <deque>
#include <string>

#include "runtime/clock.hpp"
#include "troupe/error.hpp"

namespace troupe {

/// Limits the number of losses of members that a run accepts within an hour. Also determines the pause before each
/// retry, which grows as long as no step is committed. This class starts no workers.
class FailureBudget {
 public:
  /// @param most the number of losses allowed within an hour; 0: no loss is allowed
  explicit FailureBudget(int most) : most_(most) {}

  /// Records a loss at the time `now`. Returns false if the budget does not allow this loss.
  bool allows(const Error& loss, Clock::time_point now);
  /// Records that a step was committed, so that the next loss is followed by no pause.
  void note_progress() { without_progress_ = 0; }
  /// Returns the pause before lost workers are started again. After the first loss since the last committed step, the
  /// pause is 0; after the second loss it is 50 ms. It doubles with each further loss, up to 5 s.
  std::chrono::milliseconds pause() const;
  /// Returns the error to throw when the budget is spent. It describes the last loss and earlier losses. If the budget
  /// allows no losses at all, returns the error of the last loss.
  Error spent() const;

 private:
  struct Loss {
    Clock::time_point at;
    Error error;
  };

  int most_;
  std::deque<Loss> losses_;  ///< the losses within the last hour
  int without_progress_ = 0;
};

}  // namespace troupe
