#include "models/optimizers/builtin_rules.hpp"
#include "runtime/invalid.hpp"
#include "runtime/numbers/finite.hpp"
#include "runtime/simd.hpp"

namespace troupe {
namespace {

struct SgdStep {
  float learning_rate = 0;
  float weight_decay = 0;
  float momentum = 0;
};

TROUPE_CLONES bool plain_sgd(const SgdStep& step, std::size_t count, const float* __restrict gradient,
                             const float* __restrict weights, float* __restrict new_weights,
                             const float* const* /*state*/, float* const* /*new_state*/) {
  const float rate = step.learning_rate;
  const float decay = step.weight_decay;
  std::uint32_t largest = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const float g = gradient[i] + decay * weights[i];
    const float w = weights[i] - rate * g;
    new_weights[i] = w;
    largest = std::max(largest, magnitude_bits(w));
  }
  return is_finite(largest);
}

/// Updates an UpdateChunk by SGD with momentum; see UpdateKernel for the parameters. The velocity is the state vector
/// of the momentum.
/// @tparam kNesterov true: the weights move by the gradient plus momentum times the new velocity; false: by the new
/// velocity
template <bool kNesterov>
TROUPE_INLINE bool step_with_velocity(const SgdStep& step, std::size_t count, const float* __restrict gradient,
                                      const float* __restrict weights, float* __restrict new_weights,
                                      const float* const* state, float* const* new_state) {
  const float rate = step.learning_rate;
  const float decay = step.weight_decay;
  const float momentum = step.momentum;
  const float* __restrict velocity = state[0];
  float* __restrict new_velocity = new_state[0];
  std::uint32_t largest = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const float g = gradient[i] + decay * weights[i];
    const float v = momentum * velocity[i] + g;
    new_velocity[i] = v;
    const float w = weights[i] - rate * (kNesterov ? g + momentum * v : v);
    new_weights[i] = w;
    largest = std::max(largest, std::max(magnitude_bits(v), magnitude_bits(w)));
  }
  return is_finite(largest);
}

TROUPE_CLONES bool momentum_sgd(const SgdStep& step, std::size_t count, const float* gradient, const float* weights,
                                float* new_weights, const float* const* state, float* const* new_state) {
  return step_with_velocity<false>(step, count, gradient, weights, new_weights, state, new_state);
}

TROUPE_CLONES bool nesterov_sgd(const SgdStep& step, std::size_t count, const float* gradient, const float* weights,
                                float* new_weights, const float* const* state, float* const* new_state) {
  return step_with_velocity<true>(step, count, gradient, weights, new_weights, state, new_state);
}

UpdateKernel<SgdStep> kernel_of(const OptimizerSettings& options) {
  if (options.momentum == 0) return plain_sgd;
  return options.nesterov ? nesterov_sgd : momentum_sgd;
}

}  // namespace

UpdateRule make_sgd(const OptimizerSettings& options) {
  if (options.nesterov && options.momentum == 0) throw_invalid("optimizer: nesterov needs a momentum");
  UpdateRule rule;
  if (options.momentum > 0) rule.state = {"momentum"};
  rule.prepare = [options, kernel = kernel_of(options)](const UpdateStep& at) {
    const SgdStep step{static_cast<float>(at.learning_rate), static_cast<float>(options.weight_decay),
                       static_cast<float>(options.momentum)};
    return update_by(kernel, step);
  };
  return rule;
}

}  // namespace troupe
