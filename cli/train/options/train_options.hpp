#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "cli/run_options.hpp"
#include "cli/train/options/checkpoint_flags.hpp"
#include "cli/train/options/metric_logs.hpp"

namespace troupe::cli {

/// The interval at which training evaluates the watched set. The watched set is the validation set if there is one,
/// else the test set.
struct EvaluateEvery {
  std::int64_t steps = 0;   ///< interval in steps; 0: `epochs` is the interval
  std::int64_t epochs = 1;  ///< interval in epochs

  /// Returns whether an evaluation is due after a call that has made one or more steps.
  /// @param before number of steps that were done before the call
  /// @param done number of steps that are done after the call
  /// @param epoch_steps number of steps per epoch; 0: there are no epochs
  bool is_due(std::int64_t before, std::int64_t done, std::int64_t epoch_steps) const {
    const std::int64_t each = steps > 0 ? steps : epochs * epoch_steps;
    return each > 0 && done / each > before / each;
  }
};

/// The options of `troupe train`.
struct TrainOptions {
  CommandOptions run;
  CheckpointFlags checkpoint;
  MetricLogs log;
  std::int64_t epochs = 0;  ///< number of epochs; 0: the default number
  std::int64_t steps = 0;
  std::int64_t patience = 0;  ///< number of evaluations without improvement after which training ends; 0: unlimited
  EvaluateEvery evaluate_every;
  int cross_validate = 0;  ///< number of folds; 0: no cross-validation
  bool verbose = false;
  bool quiet = false;
  bool profile = false;
  bool hash = false;
  std::string report;
  std::string save;
  /// Number of the last step of the training; set when the training starts.
  std::shared_ptr<std::int64_t> last_step = std::make_shared<std::int64_t>();
};

}  // namespace troupe::cli
