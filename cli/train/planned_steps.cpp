#include "cli/train/planned_steps.hpp"

#include <algorithm>
#include <string>

#include "actors/messages/step_bounds.hpp"

namespace troupe::cli {
namespace {

constexpr std::int64_t kUsualEpochs = 2;
/// Of L-BFGS, which ends by itself.
constexpr std::int64_t kLbfgsSteps = 100;

}  // namespace

std::int64_t planned_steps(const Options& options, std::int64_t steps) {
  const std::int64_t each = options.local.steps;
  const std::int64_t first = options.asynchronous.warm_start;
  if (options.algorithm != "local" || each < 1 || steps <= first) return steps;
  return first + (steps - first + each - 1) / each * each;
}

std::int64_t planned_steps(const Options& options, std::int64_t epochs, std::int64_t epoch_steps) {
  if (epochs > kMostSteps / std::max<std::int64_t>(epoch_steps, 1))
    throw Error(ErrorCode::invalid_argument, "--epochs " + std::to_string(epochs) + " are too many");
  if (options.algorithm == "lbfgs" && epochs == 0) return options.asynchronous.warm_start + kLbfgsSteps;
  return planned_steps(options, (epochs > 0 ? epochs : kUsualEpochs) * epoch_steps);
}

}  // namespace troupe::cli
