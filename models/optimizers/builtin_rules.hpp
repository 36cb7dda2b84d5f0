#pragma once

#include <algorithm>
#include <limits>

#include "models/optimizers/settings.hpp"

// The rules that come with Troupe, a file each.
//
// Their loops round every operation to float, in the order written. Stores are plain: writing past the caches (movntps,
// 16 or 64 bytes) took 5 to 10 % longer for 178 MB vectors on two cores. What is written is looked at in registers
// (`magnitude_bits`), which adds 2 % to a chunk whose gradients are in the cache; a pass of its own over the chunk adds
// 7 to 11 %.
namespace troupe {

UpdateRule make_sgd(const OptimizerSettings& options);
UpdateRule make_adagrad(const OptimizerSettings& options);
UpdateRule make_adam(const OptimizerSettings& options);
UpdateRule make_adamw(const OptimizerSettings& options);

/// A loop over the floats of a chunk, with what a step prepared. Its parameters are those of UpdateChunk, one by one,
/// because g++ counts on `__restrict` of parameters: with local variables it does not make Adam's loop wide, which then
/// takes eight times as long.
template <class Step>
using UpdateKernel = bool (*)(const Step& step, std::size_t count, const float* gradient, const float* weights,
                              float* new_weights, const float* const* state, float* const* new_state);

template <class Step>
UpdateFunction update_by(UpdateKernel<Step> kernel, const Step& step) {
  return [kernel, step](const UpdateChunk& chunk) {
    return kernel(step, chunk.count, chunk.gradient_mean, chunk.weights, chunk.new_weights, chunk.state,
                  chunk.new_state);
  };
}

/// @throws Error invalid_argument where options ask for a momentum that the rule has not.
void refuse_momentum(const OptimizerSettings& options);

/// Zero by zero, as padding has it, is to stay zero.
inline float positive_epsilon(const OptimizerSettings& options) {
  return std::max(static_cast<float>(options.epsilon), std::numeric_limits<float>::min());
}

}  // namespace troupe
