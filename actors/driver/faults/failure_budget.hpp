#pragma once

#include <chrono>
#include <deque>
#include <string>

#include "runtime/clock.hpp"
#include "troupe/error.hpp"

namespace troupe {

/// Limits how many losses of workers a run accepts within an hour. While no step succeeds, the pause before each retry
/// grows. Starts no workers.
class FailureBudget {
 public:
  /// @param most the number of losses allowed within an hour; 0: no loss is allowed
  explicit FailureBudget(int most) : most_(most) {}

  /// Records a loss. Returns false if the loss exceeds the budget.
  bool allows(const Error& loss, Clock::time_point now);
  /// Records a committed step.
  void note_progress() { without_progress_ = 0; }
  /// Returns the pause before workers are started again. The pause is 0 after the first loss since a committed step,
  /// then 50 ms. It doubles after each further loss, up to 5 s.
  std::chrono::milliseconds pause() const;
  /// Returns the error for a spent budget, which contains the last loss and the losses before it. If the budget allows
  /// no loss, the error is the last loss alone.
  Error spent() const;

 private:
  struct Loss {
    Clock::time_point at;
    Error error;
  };

  int most_;
  std::deque<Loss> losses_;  ///< within the last hour
  int without_progress_ = 0;
};

}  // namespace troupe
