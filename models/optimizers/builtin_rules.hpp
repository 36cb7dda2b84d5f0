#pragma once

#include <algorithm>
#include <limits>

#include "models/optimizers/settings.hpp"

// The update rules that come with Troupe, one file each.
//
// Their loops round every operation to float, in the order written. Stores are plain: non-temporal stores (movntps, 16
// or 64 bytes) took 5 to 10 % longer for 178 MB vectors on two cores. Results are checked for finiteness in registers
// (`magnitude_bits`). This adds 2 % to a chunk whose gradients are in the cache; a separate pass over the chunk adds 7
// to 11 %.
namespace troupe {

UpdateRule make_sgd(const OptimizerSettings& options);
UpdateRule make_adagrad(const OptimizerSettings& options);
UpdateRule make_adam(const OptimizerSettings& options);
UpdateRule make_adamw(const OptimizerSettings& options);

/// The loop of a rule over the floats of a chunk, with the values that were prepared for the step. The members of
/// UpdateChunk are separate parameters because g++ honours `__restrict` for parameters only. With local variables it
/// does not vectorise Adam's loop, which then takes eight times as long.
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

/// @throws Error invalid_argument if the options set a momentum for a rule without momentum.
void refuse_momentum(const OptimizerSettings& options);

/// Returns an epsilon above zero, so that padding stays zero: 0 / 0 would be NaN.
inline float positive_epsilon(const OptimizerSettings& options) {
  return std::max(static_cast<float>(options.epsilon), std::numeric_limits<float>::min());
}

}  // namespace troupe
