#pragma once

#include <chrono>
#include <deque>
#include <string>

#include "runtime/clock.hpp"
#include "troupe/error.hpp"

namespace troupe {

/// How many losses of workers a run takes upon itself: so many within an hour, and while none of its steps comes to an
/// end it waits longer each time before it tries again. Plain book-keeping.
class FailureBudget {
 public:
  /// @param most within an hour; 0: none
  explicit FailureBudget(int most) : most_(most) {}

  /// A worker was lost. False when that was one too many.
  bool allows(const Error& loss, Clock::time_point now);
  /// A step was committed.
  void note_progress() { without_progress_ = 0; }
  /// To be waited for before workers are started again: nothing after the first loss since a step was committed, then
  /// 50 ms, doubled each time, and 5 s at most.
  std::chrono::milliseconds pause() const;
  /// The last loss, with all that the budget was spent on. A budget of none says the loss alone.
  Error spent() const;

 private:
  struct Loss {
    Clock::time_point at;
    Error error;
  };

  int most_;
  std::deque<Loss> losses_;  ///< of the last hour
  int without_progress_ = 0;
};

}  // namespace troupe
