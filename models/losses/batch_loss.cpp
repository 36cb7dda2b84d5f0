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

Target target_of(const Batch& batch, std::size_t row) {
  if (!batch.labels.empty()) return {.label = batch.labels[row]};
  const std::size_t each = batch.targets.size() / static_cast<std::size_t>(batch.size);
  return {.values = batch.targets.subspan(row * each, each)};
}

/// A range of the rows of outputs. Each has a target of its own.
struct Rows {
  std::size_t begin;
  std::size_t end;
};

/// Returns the rows of outputs of a batch: one for each label, or for each sample of data with targets.
Rows all_of(const Batch& batch) {
  return {0, batch.labels.empty() ? static_cast<std::size_t>(batch.size) : batch.labels.size()};
}

/// Returns the numbers of these rows among those of the batch.
Rows rows_of(const OutputRows& outputs, const Batch& batch) {
  if (outputs.rows == 0) return all_of(batch);
  const auto begin = static_cast<std::size_t>(outputs.begin);
  return {begin, begin + static_cast<std::size_t>(outputs.rows)};
}

bool is_ignored(const Batch& batch, std::size_t row) {
  return !batch.labels.empty() && batch.labels[row] == kIgnoredLabel;
}

/// Calls `work` for each row of the range `some` whose label is not ignored, with its outputs, its target and its
/// index. If `work` throws Error bad_data, adds the number of the sample to the error.
template <class Work>
void for_each_row(const OutputRows& rows, const Batch& batch, const Rows& some, const Work& work) {
  std::size_t i = some.begin;
  try {
    for (; i < some.end; ++i) {
      if (is_ignored(batch, i)) continue;
      const float* const row =
          rows.first + (i - static_cast<std::size_t>(rows.begin)) * static_cast<std::size_t>(rows.width);
      work(std::span(row, static_cast<std::size_t>(rows.count)), target_of(batch, i), i);
    }
  } catch (const Error& error) {
    const std::size_t sample = i * static_cast<std::size_t>(batch.size) / all_of(batch).end;
    if (error.code() != ErrorCode::bad_data || sample >= batch.numbers.size()) throw;
    throw Error(error.code(), "sample " + std::to_string(batch.numbers[sample]) + ": " + error.message(),
                error.where());
  }
}

/// Computes the same as `batch_loss_gradient`, on several threads.
/// @param piece the number of rows that a thread takes at a time
double gradient_in_pieces(const Loss& loss, const OutputRows& rows, const Batch& batch, float* gradient,
                          std::int64_t* correct, std::size_t piece) {
  const Rows all = rows_of(rows, batch);
  const std::size_t first = all.begin;
  const std::size_t count = all.end - first;
  const bool counts = correct != nullptr && loss.has_hits();
  std::vector<double> losses(count);
  std::vector<char> hits(count);
  work_in_pieces(count, piece, [&](std::size_t begin, std::size_t end) {
    const auto width = static_cast<std::size_t>(rows.width);
    std::fill(gradient + begin * width, gradient + end * width, 0.0F);
    const Rows some{first + begin, first + end};
    for_each_row(rows, batch, some, [&](std::span<const float> outputs, const Target& target, std::size_t number) {
      const std::size_t row = number - first;
      losses[row] = loss.gradient(outputs, target, {gradient + row * width, outputs.size()});
      hits[row] = counts && loss.is_hit(outputs, target) ? 1 : 0;
    });
  });
  if (correct != nullptr) *correct = counts ? std::ranges::count(hits, 1) : BatchResult::kNotCounted;
  return std::accumulate(losses.begin(), losses.end(), 0.0);
}

}  // namespace

std::int64_t terms_of(const Batch& batch) {
  return static_cast<std::int64_t>(all_of(batch).end) - std::ranges::count(batch.labels, kIgnoredLabel);
}

double batch_loss_gradient(const Loss& loss, const OutputRows& rows, const Batch& batch, float* gradient,
                           std::int64_t* correct) {
  const Rows all = rows_of(rows, batch);
  return gradient_in_pieces(loss, rows, batch, gradient, correct, all.end - all.begin);
}

double shared_batch_loss_gradient(const Loss& loss, const OutputRows& rows, const Batch& batch, float* gradient,
                                  std::int64_t* correct) {
  const std::size_t piece = std::max<std::size_t>(1, kOutputsOfPiece / static_cast<std::size_t>(rows.count));
  return gradient_in_pieces(loss, rows, batch, gradient, correct, piece);
}

EvaluationResult evaluate_batch_loss(const Loss& loss, const OutputRows& rows, const Batch& batch,
                                     SampleMetrics* metrics) {
  EvaluationResult result;
  for_each_row(rows, batch, rows_of(rows, batch),
               [&](std::span<const float> outputs, const Target& target, std::size_t /*row*/) {
                 ++result.samples;
                 result.loss_sum += loss.value(outputs, target);
                 result.correct += loss.is_hit(outputs, target) ? 1 : 0;
                 if (metrics != nullptr) metrics->add(loss, outputs, target);
               });
  return result;
}

}  // namespace troupe
