#pragma once

#include <chrono>
#include <deque>
#include <string>

#include "runtime/clock.hpp"
#include "troupe/error.hpp"

namespace troupe {

/// Limits how many lost workers a run replaces within an hour. While no step succeeds, the pause before each retry
/// grows. Starts no workers.
class FailureBudget {
 public:
  /// @param most losses allowed within an hour; 0: none
  explicit FailureBudget(int most) : most_(most) {}

  /// Records a loss. Returns false if it exceeds the budget.
  bool allows(const Error& loss, Clock::time_point now);
  /// Records a committed step.
  void note_progress() { without_progress_ = 0; }
  /// The pause before workers are started again. Zero after the first loss since a committed step, then 50 ms, doubled
  /// after each further loss, at most 5 s.
  std::chrono::milliseconds pause() const;
  /// The error for a spent budget: the last loss and the losses before it. If the budget allows no loss, only the last
  /// loss.
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
