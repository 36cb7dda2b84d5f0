#include "cli/train/planned_steps.hpp"

#include <algorithm>
#include <string>
#include <variant>

#include "actors/messages/bounds.hpp"
#include "troupe/error.hpp"

namespace troupe::cli {
namespace {

constexpr std::int64_t kUsualEpochs = 2;
/// Of L-BFGS, which ends by itself.
constexpr std::int64_t kLbfgsSteps = 100;

}  // namespace

std::int64_t planned_steps(const Algorithm& algorithm, std::int64_t steps) {
  const auto* const local = std::get_if<LocalSgd>(&algorithm);
  if (local == nullptr || local->steps < 1 || steps <= local->warm_start) return steps;
  const std::int64_t each = local->steps;
  const std::int64_t first = local->warm_start;
  return first + (steps - first + each - 1) / each * each;
}

std::int64_t planned_steps(const Algorithm& algorithm, std::int64_t epochs, std::int64_t epoch_steps) {
  if (epochs > kMostSteps / std::max<std::int64_t>(epoch_steps, 1))
    throw Error(ErrorCode::invalid_argument, "--epochs " + std::to_string(epochs) + " are too many");
  const auto* const lbfgs = std::get_if<Lbfgs>(&algorithm);
  if (lbfgs != nullptr && epochs == 0) return lbfgs->warm_start + kLbfgsSteps;
  return planned_steps(algorithm, (epochs > 0 ? epochs : kUsualEpochs) * epoch_steps);
}

}  // namespace troupe::cli
