#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "cli/run_options.hpp"
#include "cli/train/options/checkpoint_flags.hpp"
#include "cli/train/options/metric_logs.hpp"

namespace troupe::cli {

/// How often training stops to measure the set that is watched.
struct EvaluateEvery {
  std::int64_t steps = 0;   ///< 0: by epochs
  std::int64_t epochs = 1;  ///< where it is by epochs

  /// Whether a step has come to a place where it measures. @param before steps done before it. @param epoch_steps 0:
  /// there are no epochs
  bool is_due(std::int64_t before, std::int64_t done, std::int64_t epoch_steps) const {
    const std::int64_t each = steps > 0 ? steps : epochs * epoch_steps;
    return each > 0 && done / each > before / each;
  }
};

/// What `troupe train` is told.
struct TrainOptions {
  CommandOptions run;
  CheckpointFlags checkpoint;
  MetricLogs log;
  std::int64_t epochs = 0;  ///< 0: as many as is usual
  std::int64_t steps = 0;
  std::int64_t patience = 0;  ///< evaluations; 0: endless
  EvaluateEvery evaluate_every;
  int cross_validate = 0;  ///< folds; 0: no cross-validation
  bool verbose = false;
  bool quiet = false;
  bool profile = false;
  bool hash = false;
  std::string report;
  std::string save;
  std::shared_ptr<std::int64_t> last_step = std::make_shared<std::int64_t>();
};

}  // namespace troupe::cli
