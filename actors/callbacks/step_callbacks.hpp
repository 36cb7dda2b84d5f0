#pragma once

#include <array>
#include <cstdint>

#include "actors/callbacks/callback_list.hpp"
#include "runtime/clock.hpp"
#include "troupe/sgd.hpp"

namespace troupe {

/// The names of the metrics for the times of a step's phases, in seconds.
inline constexpr std::array<const char*, 5> kPhaseTimes{"step_seconds", "compute_seconds", "reduce_seconds",
                                                        "apply_seconds", "data_seconds"};

/// Calls the callbacks of a DistributedSGD, in the thread that uses it, between its calls.
class StepCallbacks {
 public:
  /// @throws Error invalid_argument if a callback is null
  explicit StepCallbacks(const Options& options) : callbacks_(options.callbacks) {}

  void start(const Options& options, int workers, std::int64_t steps_done);
  /// Reports the losses that the step survived, and then the step.
  /// @param before number of steps done before the call
  /// @param epoch_steps steps per epoch; 0 if there are no epochs
  void step(const StepReport& report, std::int64_t before, std::int64_t epoch_steps);
  /// Sends a separate report of an evaluation.
  /// @param step the step after which the evaluation took place
  void evaluation(const Evaluation& evaluation, EvaluationSet set, std::int64_t step);
  void checkpoints(const std::vector<CheckpointInfo>& written);
  /// Reports that a step has failed. Logs exceptions of callbacks.
  void failure(const Error& error) noexcept;
  /// Ends the run. Logs exceptions of callbacks.
  void end(const std::vector<CheckpointInfo>& written) noexcept;
  bool wants_to_stop() const { return callbacks_.wants_to_stop(); }

 private:
  CallbackList callbacks_;
  Stopwatch watch_;
  std::int64_t steps_ = 0;  ///< steps done
  bool failed_ = false;     ///< the last step has failed
};

}  // namespace troupe
