#pragma once

#include <functional>
#include <vector>

#include "actors/algorithms/algorithm_runner.hpp"
#include "actors/messages/synchronous.hpp"

namespace troupe {

/// The length (Euclidean norm) of the mean gradient.
struct GradientNorm {
  double norm = 0;
  std::vector<int> non_finite;  ///< the workers whose slices of the mean gradient contain non-finite values
};

/// Returns the length of the mean gradient over all learned floats, computed from the sums of squares in `replies`.
/// Each owner of slices has reported the sums for its slices. The length is bitwise reproducible, because it depends
/// only on the gradients, not on how slices are assigned. If a gradient is not finite, the length is not finite.
/// @param slices_of a function that returns the slices whose sums a worker reports, in the order of its reply
/// @throws Error protocol for an invalid reply
GradientNorm gradient_norm(const StepContext& context, const std::function<std::vector<Range>(int worker)>& slices_of,
                           const std::vector<From<MeanReduced>>& replies, const Phase& phase);

/// Returns the sum of squares over the whole flat vector. It is added from the partial sums in `Applied::square_bits`,
/// which each worker reports for its own slice.
/// @throws Error protocol if a reply is invalid, or if a sum is not finite
double sum_of_squares(const StepContext& context, const std::vector<From<Applied>>& replies, const Phase& phase);

}  // namespace troupe
