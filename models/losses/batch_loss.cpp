#include "models/losses/batch_loss.hpp"

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "runtime/processes/piecework.hpp"
#include "troupe/error.hpp"

namespace troupe {
namespace {

/// The number of outputs for which a thread computes the loss at a time. For a softmax, a thread needs about 50
/// microseconds for this number of outputs, which is much longer than waking a thread takes.
constexpr std::size_t kOutputsOfPiece = 4096;

Target target_of(const Batch& batch, std::size_t sample) {
  if (!batch.labels.empty()) return {.label = batch.labels[sample]};
  const std::size_t each = batch.targets.size() / static_cast<std::size_t>(batch.size);
  return {.values = batch.targets.subspan(sample * each, each)};
}

struct Samples {
  std::size_t begin;
  std::size_t end;
};

Samples all_of(const Batch& batch) { return {0, static_cast<std::size_t>(batch.size)}; }

/// Calls `work` for each sample of the range `samples` of the batch, with its outputs, its target and its index in the
/// batch. If `work` throws Error bad_data, adds the number of the sample to the error.
template <class Work>
void for_each_sample(const OutputRows& rows, const Batch& batch, const Samples& samples, const Work& work) {
  std::size_t i = samples.begin;
  try {
    for (; i < samples.end; ++i) {
      const float* const row = rows.first + i * static_cast<std::size_t>(rows.width);
      work(std::span(row, static_cast<std::size_t>(rows.count)), target_of(batch, i), i);
    }
  } catch (const Error& error) {
    if (error.code() != ErrorCode::bad_data || i >= batch.numbers.size()) throw;
    throw Error(error.code(), "sample " + std::to_string(batch.numbers[i]) + ": " + error.message(), error.where());
  }
}

/// Computes the same as `batch_loss_gradient`, on several threads.
/// @param piece the number of samples that a thread takes at a time
double gradient_in_pieces(const Loss& loss, const OutputRows& rows, const Batch& batch, float* gradient,
                          std::int64_t* correct, std::size_t piece) {
  const std::size_t count = all_of(batch).end;
  const bool counts = correct != nullptr && loss.has_hits();
  std::vector<double> losses(count);
  std::vector<char> hits(count);
  work_in_pieces(count, piece, [&](std::size_t begin, std::size_t end) {
    for_each_sample(rows, batch, {begin, end},
                    [&](std::span<const float> outputs, const Target& target, std::size_t sample) {
                      float* const row = gradient + sample * static_cast<std::size_t>(rows.width);
                      std::fill(row, row + rows.width, 0.0F);
                      losses[sample] = loss.gradient(outputs, target, {row, outputs.size()});
                      hits[sample] = counts && loss.is_hit(outputs, target) ? 1 : 0;
                    });
  });
  if (correct != nullptr) *correct = counts ? std::ranges::count(hits, 1) : BatchResult::kNotCounted;
  return std::accumulate(losses.begin(), losses.end(), 0.0);
}

}  // namespace

double batch_loss_gradient(const Loss& loss, const OutputRows& rows, const Batch& batch, float* gradient,
                           std::int64_t* correct) {
  return gradient_in_pieces(loss, rows, batch, gradient, correct, all_of(batch).end);
}

double shared_batch_loss_gradient(const Loss& loss, const OutputRows& rows, const Batch& batch, float* gradient,
                                  std::int64_t* correct) {
  const std::size_t piece = std::max<std::size_t>(1, kOutputsOfPiece / static_cast<std::size_t>(rows.count));
  return gradient_in_pieces(loss, rows, batch, gradient, correct, piece);
}

EvaluationResult evaluate_batch_loss(const Loss& loss, const OutputRows& rows, const Batch& batch,
                                     SampleMetrics* metrics) {
  EvaluationResult result{0, 0, batch.size};
  for_each_sample(rows, batch, all_of(batch),
                  [&](std::span<const float> outputs, const Target& target, std::size_t /*sample*/) {
                    result.loss_sum += loss.value(outputs, target);
                    result.correct += loss.is_hit(outputs, target) ? 1 : 0;
                    if (metrics != nullptr) metrics->add(loss, outputs, target);
                  });
  return result;
}

}  // namespace troupe
