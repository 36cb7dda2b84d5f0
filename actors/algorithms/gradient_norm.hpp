#pragma once

#include <functional>
#include <vector>

#include "actors/algorithms/algorithm_runner.hpp"
#include "actors/messages/synchronous.hpp"

namespace troupe {

struct GradientNorm {
  double norm = 0;
  std::vector<int> non_finite;  ///< workers of whose slices it is not
};

/// The length of the mean gradient of all that is learned, from what the owners of slices say of theirs. Its bits
/// depend on the gradients alone; it is not finite where some of them are not.
/// @param slices_of what a worker says it of, in that order
/// @throws Error protocol for parts that cannot be
GradientNorm gradient_norm(const StepContext& context, const std::function<std::vector<Range>(int worker)>& slices_of,
                           const std::vector<From<MeanReduced>>& replies, const Phase& phase);

/// The sum of squares over the whole flat vector, of what workers say of their own slices, which are finite.
/// @throws as gradient_norm
double sum_of_squares(const StepContext& context, const std::vector<From<Applied>>& replies, const Phase& phase);

}  // namespace troupe
