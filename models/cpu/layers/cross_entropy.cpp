#include "models/cpu/layers/cross_entropy.hpp"

#include <algorithm>
#include <cmath>

namespace troupe::cpu {

namespace {

/// log(sum(exp(row))), from the largest score so that nothing overflows.
double log_sum_exp(std::span<const float> row) {
  const double largest = *std::max_element(row.begin(), row.end());
  double sum = 0;
  for (const float score : row) sum += std::exp(score - largest);
  return largest + std::log(sum);
}

}  // namespace

double cross_entropy_gradient(const float* scores, std::span<const std::int32_t> labels, std::int64_t classes,
                              std::int64_t width, float* gradient) {
  double loss = 0;
  for (const std::int32_t label : labels) {
    const std::span row(scores, static_cast<std::size_t>(classes));
    const double total = log_sum_exp(row);
    loss += total - row[static_cast<std::size_t>(label)];
    for (std::int64_t i = 0; i < classes; ++i) gradient[i] = static_cast<float>(std::exp(scores[i] - total));
    gradient[label] -= 1;
    std::fill(gradient + classes, gradient + width, 0.0F);
    scores += width;
    gradient += width;
  }
  return loss;
}

EvaluationResult cross_entropy_evaluate(const float* scores, std::span<const std::int32_t> labels, std::int64_t classes,
                                        std::int64_t width) {
  EvaluationResult result;
  for (const std::int32_t label : labels) {
    const std::span row(scores, static_cast<std::size_t>(classes));
    result.loss_sum += log_sum_exp(row) - row[static_cast<std::size_t>(label)];
    result.correct += std::max_element(row.begin(), row.end()) - row.begin() == label ? 1 : 0;
    scores += width;
  }
  result.samples = static_cast<std::int64_t>(labels.size());
  return result;
}

}  // namespace troupe::cpu
