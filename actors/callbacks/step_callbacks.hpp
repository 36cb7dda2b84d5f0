#pragma once

#include <array>
#include <cstdint>

#include "actors/callbacks/callback_list.hpp"
#include "runtime/clock.hpp"
#include "troupe/sgd.hpp"

namespace troupe {

/// The names of a report's metrics that contain the duration in seconds of the whole step and of each of its phases.
inline constexpr std::array<const char*, 5> kPhaseTimes{"step_seconds", "compute_seconds", "reduce_seconds",
                                                        "apply_seconds", "data_seconds"};

/// Calls the callbacks of a DistributedSGD object. The callbacks run on the thread that calls the object's functions,
/// while no other call of that object is in progress.
class StepCallbacks {
 public:
  /// @throws Error invalid_argument if a callback is null
  explicit StepCallbacks(const Options& options) : callbacks_(options.callbacks) {}

  void start(const Options& options, int workers, std::int64_t steps_done);
  /// Calls on_failure for each worker or node that was lost and replaced during a step. Then calls on_report for the
  /// step, unless the step number has not increased (because L-BFGS has converged or stopped).
  /// @param report the result of the step
  /// @param before number of steps that the run had done before this step
  /// @param epoch_steps number of steps per epoch; 0 if there are no epochs
  void step(const StepReport& report, std::int64_t before, std::int64_t epoch_steps);
  /// Calls on_report with the metrics of an evaluation.
  /// @param step number of steps that the run has done before the evaluation
  void evaluation(const Evaluation& evaluation, EvaluationSet set, std::int64_t step);
  void checkpoints(const std::vector<CheckpointInfo>& written);
  /// Calls on_failure with `error`, the error of a failed step. If a callback throws, logs the exception.
  void failure(const Error& error) noexcept;
  /// Calls on_checkpoint for each checkpoint in `written`, and then on_end. If a callback throws, logs the exception.
  void end(const std::vector<CheckpointInfo>& written) noexcept;
  bool wants_to_stop() const { return callbacks_.wants_to_stop(); }

 private:
  CallbackList callbacks_;
  Stopwatch watch_;
  std::int64_t steps_ = 0;  ///< number of steps done
  bool failed_ = false;     ///< true if the last step failed
};

}  // namespace troupe
