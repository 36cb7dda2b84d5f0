#include <cmath>

#include "models/optimizers/builtin_rules.hpp"
#include "models/optimizers/update_rules.hpp"
#include "runtime/invalid.hpp"
#include "runtime/numbers/finite.hpp"
#include "runtime/simd.hpp"

namespace troupe {
namespace {

struct OuterStep {
  float rate = 0;
  float momentum = 0;
};

TROUPE_CLONES bool average(const OuterStep& /*step*/, std::size_t count, const float* __restrict mean,
                           const float* __restrict /*weights*/, float* __restrict new_weights,
                           const float* const* /*state*/, float* const* /*new_state*/) {
  std::uint32_t largest = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const float w = mean[i];
    new_weights[i] = w;
    largest = std::max(largest, magnitude_bits(w));
  }
  return is_finite(largest);
}

TROUPE_CLONES bool nesterov(const OuterStep& step, std::size_t count, const float* __restrict mean,
                            const float* __restrict weights, float* __restrict new_weights, const float* const* state,
                            float* const* new_state) {
  const float rate = step.rate;
  const float momentum = step.momentum;
  const float* __restrict velocity = state[0];
  float* __restrict new_velocity = new_state[0];
  std::uint32_t largest = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const float g = weights[i] - mean[i];
    const float v = momentum * velocity[i] + g;
    new_velocity[i] = v;
    const float w = weights[i] - rate * (g + momentum * v);
    new_weights[i] = w;
    largest = std::max(largest, std::max(magnitude_bits(v), magnitude_bits(w)));
  }
  return is_finite(largest);
}

template <class Kernel>
UpdateRule rule_by(std::vector<std::string> state, Kernel kernel, const OuterStep& step) {
  return {std::move(state), [kernel, step](const UpdateStep& /*at*/) { return update_by<OuterStep>(kernel, step); }};
}

}  // namespace

UpdateRules outer_optimizer(const OptimizerSettings& options) {
  const OuterStep step{static_cast<float>(options.learning_rate), static_cast<float>(options.momentum)};
  if (options.kind == kOuterAverage) return {options, rule_by({}, average, step)};
  if (options.kind == kOuterNesterov) return {options, rule_by({"outer momentum"}, nesterov, step)};
  throw_invalid("no outer rule named '" + options.kind + "'");
}

}  // namespace troupe
