#pragma once

#include <functional>
#include <vector>

#include "actors/algorithms/algorithm_runner.hpp"
#include "actors/messages/synchronous.hpp"

namespace troupe {

struct GradientNorm {
  double norm = 0;
  std::vector<int> non_finite;  ///< workers with a non-finite gradient in their slices
};

/// Returns the length of the mean gradient of all learned floats, from the sums of squares that the owners of slices
/// report. The result is bitwise reproducible from the gradients alone. It is not finite if a gradient is not finite.
/// @param slices_of the slices that a worker reports, in order
/// @throws Error protocol for an invalid reply
GradientNorm gradient_norm(const StepContext& context, const std::function<std::vector<Range>(int worker)>& slices_of,
                           const std::vector<From<MeanReduced>>& replies, const Phase& phase);

/// Returns the sum of squares over the whole flat vector, from the workers' sums over their own slices. All values must
/// be finite.
/// @throws Error protocol for an invalid reply
double sum_of_squares(const StepContext& context, const std::vector<From<Applied>>& replies, const Phase& phase);

}  // namespace troupe
