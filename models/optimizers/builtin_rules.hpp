#pragma once

#include <algorithm>
#include <limits>

#include "models/optimizers/settings.hpp"

// The update rules that come with Troupe, one file each. The loops of the rules round each operation to float, in the
// order of the source code. The loops use ordinary stores: with non-temporal stores (movntps, 16 or 64 bytes) they took
// 5 to 10% longer (vectors of 178 MB, two cores). The loops check results for NaN and infinity while the results are in
// registers (`magnitude_bits`). If the gradients are in the cache, this check adds 2% to the time of a loop. A check in
// a second loop over the same floats would add 7 to 11%.
namespace troupe {

UpdateRule make_sgd(const OptimizerSettings& options);
UpdateRule make_adagrad(const OptimizerSettings& options);
UpdateRule make_adam(const OptimizerSettings& options);
UpdateRule make_adamw(const OptimizerSettings& options);

/// A function with the loop of a rule over the floats of an UpdateChunk. `step` contains the values that were prepared
/// for the step. The other parameters are the members of UpdateChunk. They are separate parameters, because g++ uses
/// `__restrict` of parameters only. With `__restrict` on local variables, g++ does not vectorise Adam's loop, which
/// then takes eight times as long.
template <class Step>
using UpdateKernel = bool (*)(const Step& step, std::size_t count, const float* gradient, const float* weights,
                              float* new_weights, const float* const* state, float* const* new_state);

/// Returns an UpdateFunction that calls `kernel` with `step` and the members of the UpdateChunk.
template <class Step>
UpdateFunction update_by(UpdateKernel<Step> kernel, const Step& step) {
  return [kernel, step](const UpdateChunk& chunk) {
    return kernel(step, chunk.count, chunk.gradient_mean, chunk.weights, chunk.new_weights, chunk.state,
                  chunk.new_state);
  };
}

/// Checks the options of a rule that has no momentum.
/// @throws Error invalid_argument if the options set a momentum.
void refuse_momentum(const OptimizerSettings& options);

/// Returns `options.epsilon`, but at least the smallest normal float. With an epsilon of 0, the result for padding
/// would be 0 / 0, which is NaN.
inline float positive_epsilon(const OptimizerSettings& options) {
  return std::max(static_cast<float>(options.epsilon), std::numeric_limits<float>::min());
}

}  // namespace troupe
