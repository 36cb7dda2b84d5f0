#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "troupe/batches.hpp"
#include "troupe/model.hpp"

namespace troupe {

/// Returns a batch that consists of `count` samples of `batch`, from sample `first` on.
inline Batch slice(const Batch& batch, std::int64_t first, std::int64_t count) {
  const auto part = [&](const auto& all) {
    const std::int64_t each = std::ssize(all) / batch.size;
    return all.subspan(static_cast<std::size_t>(first * each), static_cast<std::size_t>(count * each));
  };
  return {count, part(batch.values), part(batch.labels), part(batch.targets), part(batch.numbers)};
}

/// Divides `batch` into slices of at most `most` consecutive samples, and calls `evaluate(slice)` for each slice.
/// Returns the sum of the results.
template <class Evaluate>
EvaluationResult evaluate_slices(const Batch& batch, std::int64_t most, const Evaluate& evaluate) {
  EvaluationResult total;
  for (std::int64_t first = 0; first < batch.size; first += most) {
    const EvaluationResult part = evaluate(slice(batch, first, std::min(most, batch.size - first)));
    total.loss_sum += part.loss_sum;
    total.correct += part.correct;
    total.samples += part.samples;
  }
  return total;
}

/// Computes the outputs of consecutive samples. Calls predict(samples, outputs of these samples) for one part of the
/// samples after the other, until `to` is full. The number of samples of a part is `count(number of remaining
/// samples)`.
/// @param inputs number of floats of one sample
/// @param to receives the outputs of all samples
/// @param outputs number of floats of the outputs of one sample
template <class Count, class Predict>
void predict_slices(std::span<const float> samples, std::size_t inputs, std::span<float> to, std::size_t outputs,
                    const Count& count, const Predict& predict) {
  for (std::size_t left = to.size() / outputs; left > 0;) {
    const std::size_t rows = count(left);
    predict(samples.first(rows * inputs), to.first(rows * outputs));
    samples = samples.subspan(rows * inputs);
    to = to.subspan(rows * outputs);
    left -= rows;
  }
}

}  // namespace troupe
