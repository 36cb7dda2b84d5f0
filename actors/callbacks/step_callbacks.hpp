#pragma once

#include <array>
#include <cstdint>

#include "actors/callbacks/callback_list.hpp"
#include "runtime/clock.hpp"
#include "troupe/sgd.hpp"

namespace troupe {

/// What reports call the times of a step's phases, in seconds.
inline constexpr std::array<const char*, 5> kPhaseTimes{"step_seconds", "compute_seconds", "reduce_seconds",
                                                        "apply_seconds", "data_seconds"};

/// Tells the callbacks of a DistributedSGD what happens in it, in the thread that calls it, between its calls.
class StepCallbacks {
 public:
  /// @throws Error invalid_argument for a null one
  explicit StepCallbacks(const Options& options) : callbacks_(options.callbacks) {}

  void start(const Options& options, int workers, std::int64_t steps_done);
  /// Losses that it went on after, and then its report. @param before steps done before it @param epoch_steps 0 where
  /// there are no epochs
  void step(const StepReport& report, std::int64_t before, std::int64_t epoch_steps);
  /// A report of its own. @param step after which it was
  void evaluation(const Evaluation& evaluation, EvaluationSet set, std::int64_t step);
  void checkpoints(const std::vector<CheckpointInfo>& written);
  /// A step was not made. What a callback throws is told in the log.
  void failure(const Error& error) noexcept;
  /// What a callback throws is told in the log.
  void end(const std::vector<CheckpointInfo>& written) noexcept;
  bool wants_to_stop() const { return callbacks_.wants_to_stop(); }

 private:
  CallbackList callbacks_;
  Stopwatch watch_;
  std::int64_t steps_ = 0;  ///< done
  bool failed_ = false;     ///< the last step
};

}  // namespace troupe
