#include "models/optimizers/update_kernels.hpp"

#include <algorithm>

#include "models/optimizers/finite.hpp"
#include "runtime/simd.hpp"

namespace troupe {
namespace {

// Plain stores: writing past the caches (movntps, 16 or 64 bytes) took 5 to 10 % longer for 178 MB vectors on two
// cores. What is written is looked at here, in registers, which adds 2 % to a chunk whose gradients are in the cache; a
// pass of its own over the chunk adds 7 to 11 %.

TROUPE_CLONES std::uint32_t plain_sgd(const UpdateStep& step, std::size_t count, const float* __restrict gradient,
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
  return largest;
}

TROUPE_CLONES std::uint32_t momentum_sgd(const UpdateStep& step, std::size_t count, const float* __restrict gradient,
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
    const float w = weights[i] - rate * v;
    new_weights[i] = w;
    largest = std::max(largest, std::max(magnitude_bits(v), magnitude_bits(w)));
  }
  return largest;
}

TROUPE_CLONES std::uint32_t nesterov_sgd(const UpdateStep& step, std::size_t count, const float* __restrict gradient,
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
    const float w = weights[i] - rate * (g + momentum * v);
    new_weights[i] = w;
    largest = std::max(largest, std::max(magnitude_bits(v), magnitude_bits(w)));
  }
  return largest;
}

TROUPE_CLONES std::uint32_t adagrad(const UpdateStep& step, std::size_t count, const float* __restrict gradient,
                                    const float* __restrict weights, float* __restrict new_weights,
                                    const float* const* state, float* const* new_state) {
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
  return largest;
}

TROUPE_CLONES std::uint32_t adam(const UpdateStep& step, std::size_t count, const float* __restrict gradient,
                                 const float* __restrict weights, float* __restrict new_weights,
                                 const float* const* state, float* const* new_state) {
  const UpdateStep s = step;
  const float* __restrict first = state[0];
  const float* __restrict second = state[1];
  float* __restrict new_first = new_state[0];
  float* __restrict new_second = new_state[1];
  std::uint32_t largest = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const float g = gradient[i] + s.weight_decay * weights[i];
    const float m = s.beta1 * first[i] + s.one_minus_beta1 * g;
    const float v = s.beta2 * second[i] + s.one_minus_beta2 * (g * g);
    new_first[i] = m;
    new_second[i] = v;
    const float w = weights[i] - s.learning_rate * (m / (__builtin_sqrtf(v) / s.root_correction2 + s.epsilon));
    new_weights[i] = w;
    largest = std::max(largest, std::max(magnitude_bits(m), std::max(magnitude_bits(v), magnitude_bits(w))));
  }
  return largest;
}

}  // namespace

const UpdateRule kPlainSgd{plain_sgd, 0, {}};
const UpdateRule kMomentumSgd{momentum_sgd, 1, {"momentum"}};
const UpdateRule kNesterovSgd{nesterov_sgd, 1, {"momentum"}};
const UpdateRule kAdagrad{adagrad, 1, {"sum of squares"}};
const UpdateRule kAdam{adam, 2, {"first moment", "second moment"}};

}  // namespace troupe
