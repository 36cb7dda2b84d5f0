#pragma once

#include <cstdint>
#include <span>

#include "troupe/model.hpp"

namespace troupe::cpu {

/// Softmax cross-entropy over the first `classes` of each row of `width` scores. Writes the gradient of the sum of
/// the losses (zeros behind the classes) and returns that sum.
double cross_entropy_gradient(const float* scores, std::span<const std::int32_t> labels, std::int64_t classes,
                              std::int64_t width, float* gradient);

/// Loss sum and hits of the same rows.
EvaluationResult cross_entropy_evaluate(const float* scores, std::span<const std::int32_t> labels, std::int64_t classes,
                                        std::int64_t width);

}  // namespace troupe::cpu
