#include <cmath>

#include "models/optimizers/builtin_rules.hpp"
#include "runtime/numbers/finite.hpp"
#include "runtime/simd.hpp"

namespace troupe {
namespace {

struct AdamStep {
  float learning_rate = 0;  ///< the learning rate divided by 1 - beta1^n in the n-th update of the state
  float weight_decay = 0;
  float beta1 = 0;
  float beta2 = 0;
  float one_minus_beta1 = 1;
  float one_minus_beta2 = 1;
  float root_correction2 = 1;  ///< sqrt(1 - beta2^n) in the n-th update of the state
  float epsilon = 0;
  float kept = 1;  ///< for AdamW: the factor of the weights, 1 - learning rate * weight decay
};

AdamStep prepare_adam(const OptimizerSettings& options, const UpdateStep& at) {
  const auto n = static_cast<double>(at.updates + 1);
  AdamStep step;
  step.learning_rate = static_cast<float>(at.learning_rate / (1 - std::pow(options.beta1, n)));
  step.weight_decay = static_cast<float>(options.weight_decay);
  step.beta1 = static_cast<float>(options.beta1);
  step.beta2 = static_cast<float>(options.beta2);
  step.one_minus_beta1 = static_cast<float>(1 - options.beta1);
  step.one_minus_beta2 = static_cast<float>(1 - options.beta2);
  step.root_correction2 = static_cast<float>(std::sqrt(1 - std::pow(options.beta2, n)));
  step.epsilon = positive_epsilon(options);
  step.kept = static_cast<float>(1 - at.learning_rate * options.weight_decay);
  return step;
}

/// Updates an UpdateChunk by Adam or AdamW; see UpdateKernel for the parameters.
/// @tparam kDecoupled true (AdamW): weights are multiplied by a factor below 1 (Loshchilov and Hutter, "Decoupled
/// weight decay regularization", ICLR 2019), in PyTorch's order of operations. false (Adam): weight decay * weight is
/// added to the gradient
template <bool kDecoupled>
TROUPE_INLINE bool step_floats(const AdamStep& step, std::size_t count, const float* __restrict gradient,
                               const float* __restrict weights, float* __restrict new_weights,
                               const float* const* state, float* const* new_state) {
  const AdamStep s = step;
  const float* __restrict first = state[0];
  const float* __restrict second = state[1];
  float* __restrict new_first = new_state[0];
  float* __restrict new_second = new_state[1];
  std::uint32_t largest = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const float g = kDecoupled ? gradient[i] : gradient[i] + s.weight_decay * weights[i];
    const float m = s.beta1 * first[i] + s.one_minus_beta1 * g;
    const float v = s.beta2 * second[i] + (kDecoupled ? s.one_minus_beta2 * g * g : s.one_minus_beta2 * (g * g));
    new_first[i] = m;
    new_second[i] = v;
    const float denominator = __builtin_sqrtf(v) / s.root_correction2 + s.epsilon;
    const float w = kDecoupled ? s.kept * weights[i] - s.learning_rate * m / denominator
                               : weights[i] - s.learning_rate * (m / denominator);
    new_weights[i] = w;
    largest = std::max(largest, std::max(magnitude_bits(m), std::max(magnitude_bits(v), magnitude_bits(w))));
  }
  return is_finite(largest);
}

TROUPE_CLONES bool adam(const AdamStep& step, std::size_t count, const float* gradient, const float* weights,
                        float* new_weights, const float* const* state, float* const* new_state) {
  return step_floats<false>(step, count, gradient, weights, new_weights, state, new_state);
}

TROUPE_CLONES bool adamw(const AdamStep& step, std::size_t count, const float* gradient, const float* weights,
                         float* new_weights, const float* const* state, float* const* new_state) {
  return step_floats<true>(step, count, gradient, weights, new_weights, state, new_state);
}

UpdateRule rule_of(const OptimizerSettings& options, UpdateKernel<AdamStep> kernel) {
  refuse_momentum(options);
  const auto prepare = [options, kernel](const UpdateStep& at) { return update_by(kernel, prepare_adam(options, at)); };
  return {{"first moment", "second moment"}, prepare};
}

}  // namespace

UpdateRule make_adam(const OptimizerSettings& options) { return rule_of(options, adam); }
UpdateRule make_adamw(const OptimizerSettings& options) { return rule_of(options, adamw); }

}  // namespace troupe
