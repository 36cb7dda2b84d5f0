#pragma once

#include <functional>
#include <vector>

#include "actors/algorithms/algorithm_runner.hpp"
#include "actors/messages/synchronous.hpp"

namespace troupe {

/// The length of the mean gradient.
struct GradientNorm {
  double norm = 0;
  std::vector<int> non_finite;  ///< the workers that have a non-finite gradient in their slices
};

/// Returns the length of the mean gradient of all learned floats, from the sums of squares that the owners of slices
/// report. The length is bitwise reproducible: it depends on the gradients only. It is not finite if a gradient is not
/// finite.
/// @param slices_of returns the slices that a worker reports, in the order of its reply
/// @throws Error protocol for an invalid reply
GradientNorm gradient_norm(const StepContext& context, const std::function<std::vector<Range>(int worker)>& slices_of,
                           const std::vector<From<MeanReduced>>& replies, const Phase& phase);

/// Returns the sum of `Applied::square_bits` over the whole flat vector. Each worker reports the partial sums of its
/// own slice.
/// @throws Error protocol for an invalid reply, or for a sum that is not finite
double sum_of_squares(const StepContext& context, const std::vector<From<Applied>>& replies, const Phase& phase);

}  // namespace troupe
