#pragma once

#include <algorithm>
#include <limits>

#include "models/optimizers/settings.hpp"

// The update rules that come with Troupe, one file each. The loops of the rules round each operation to float, in the
// order of the source code. They use ordinary stores, because non-temporal stores (movntps, 16 or 64 bytes) took 5 to
// 10% longer (vectors of 178 MB, two cores). They check results for NaN and infinity while the results are in registers
// (`magnitude_bits`). If the gradients are in the cache, this check adds 2% to the time of a chunk. A second loop over
// the chunk would add 7 to 11%.
namespace troupe {

UpdateRule make_sgd(const OptimizerSettings& options);
UpdateRule make_adagrad(const OptimizerSettings& options);
UpdateRule make_adam(const OptimizerSettings& options);
UpdateRule make_adamw(const OptimizerSettings& options);

/// The loop of a rule over the floats of a chunk. `step` contains the values that were prepared for the step. The
/// members of UpdateChunk are separate parameters, because g++ uses `__restrict` of parameters only. With `__restrict`
/// on local variables, g++ does not vectorise Adam's loop, which then takes eight times as long.
template <class Step>
using UpdateKernel = bool (*)(const Step& step, std::size_t count, const float* gradient, const float* weights,
                              float* new_weights, const float* const* state, float* const* new_state);

/// Returns a function that updates a chunk by calling `kernel` with `step`.
template <class Step>
UpdateFunction update_by(UpdateKernel<Step> kernel, const Step& step) {
  return [kernel, step](const UpdateChunk& chunk) {
    return kernel(step, chunk.count, chunk.gradient_mean, chunk.weights, chunk.new_weights, chunk.state,
                  chunk.new_state);
  };
}

/// Checks the options of a rule without momentum.
/// @throws Error invalid_argument if the options set a momentum.
void refuse_momentum(const OptimizerSettings& options);

/// Returns the epsilon of the options, but at least the smallest normal float. With an epsilon of 0, padding would
/// become 0 / 0, which is NaN.
inline float positive_epsilon(const OptimizerSettings& options) {
  return std::max(static_cast<float>(options.epsilon), std::numeric_limits<float>::min());
}

}  // namespace troupe
