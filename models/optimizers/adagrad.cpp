#include "models/optimizers/builtin_rules.hpp"
#include "runtime/numbers/finite.hpp"
#include "runtime/simd.hpp"

namespace troupe {
namespace {

struct AdagradStep {
  float learning_rate = 0;
  float weight_decay = 0;
  float epsilon = 0;
};

TROUPE_CLONES bool adagrad(const AdagradStep& step, std::size_t count, const float* __restrict gradient,
                           const float* __restrict weights, float* __restrict new_weights, const float* const* state,
                           float* const* new_state) {
  const float rate = step.learning_rate;
  const float decay = step.weight_decay;
  const float epsilon = step.epsilon;
  const float* __restrict squares = state[0];
  float* __restrict new_squares = new_state[0];
  std::uint32_t largest = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const float g = gradient[i] + decay * weights[i];
    const float s = squares[i] + g * g;
    new_squares[i] = s;
    const float w = weights[i] - rate * (g / (__builtin_sqrtf(s) + epsilon));
    new_weights[i] = w;
    largest = std::max(largest, std::max(magnitude_bits(s), magnitude_bits(w)));
  }
  return is_finite(largest);
}

}  // namespace

UpdateRule make_adagrad(const OptimizerSettings& options) {
  refuse_momentum(options);
  const auto prepare = [options](const UpdateStep& at) {
    const AdagradStep step{static_cast<float>(at.learning_rate), static_cast<float>(options.weight_decay),
                           positive_epsilon(options)};
    return update_by<AdagradStep>(adagrad, step);
  };
  return {{"sum of squares"}, prepare};
}

}  // namespace troupe
