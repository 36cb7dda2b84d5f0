#include "models/losses/batch_loss.hpp"

#include <algorithm>
#include <string>

#include "troupe/error.hpp"

namespace troupe {
namespace {

Target target_of(const Batch& batch, std::size_t sample) {
  if (!batch.labels.empty()) return {.label = batch.labels[sample]};
  const std::size_t each = batch.targets.size() / static_cast<std::size_t>(batch.size);
  return {.values = batch.targets.subspan(sample * each, each)};
}

/// Calls `work` with each sample's outputs, target and number in the batch, and names the sample where it complains
/// about the data.
template <class Work>
void for_each_sample(const OutputRows& rows, const Batch& batch, const Work& work) {
  std::size_t i = 0;
  try {
    for (; i < static_cast<std::size_t>(batch.size); ++i) {
      const float* const row = rows.first + i * static_cast<std::size_t>(rows.width);
      work(std::span(row, static_cast<std::size_t>(rows.count)), target_of(batch, i), i);
    }
  } catch (const Error& error) {
    if (error.code() != ErrorCode::bad_data || i >= batch.numbers.size()) throw;
    throw Error(error.code(), "sample " + std::to_string(batch.numbers[i]) + ": " + error.message(), error.where());
  }
}

}  // namespace

double batch_loss_gradient(const Loss& loss, const OutputRows& rows, const Batch& batch, float* gradient,
                           std::int64_t* correct) {
  double sum = 0;
  std::int64_t hits = 0;
  const bool counts = correct != nullptr && loss.has_hits();
  for_each_sample(rows, batch, [&](std::span<const float> outputs, const Target& target, std::size_t sample) {
    float* const row = gradient + sample * static_cast<std::size_t>(rows.width);
    std::fill(row, row + rows.width, 0.0F);
    sum += loss.gradient(outputs, target, {row, outputs.size()});
    if (counts && loss.is_hit(outputs, target)) ++hits;
  });
  if (correct != nullptr) *correct = counts ? hits : BatchResult::kNotCounted;
  return sum;
}

EvaluationResult evaluate_batch_loss(const Loss& loss, const OutputRows& rows, const Batch& batch,
                                     SampleMetrics* metrics) {
  EvaluationResult result{0, 0, batch.size};
  for_each_sample(rows, batch, [&](std::span<const float> outputs, const Target& target, std::size_t /*sample*/) {
    result.loss_sum += loss.value(outputs, target);
    result.correct += loss.is_hit(outputs, target) ? 1 : 0;
    if (metrics != nullptr) metrics->add(loss, outputs, target);
  });
  return result;
}

}  // namespace troupe
