#pragma once

#include <cstdint>

#include "models/data/batches/batch.hpp"
#include "models/metrics/sample_metrics.hpp"
#include "troupe/loss.hpp"
#include "troupe/model.hpp"

namespace troupe {

/// The outputs of a batch, one row per sample: `count` outputs at the start of each `width` floats.
struct OutputRows {
  const float* first = nullptr;
  std::int64_t count = 0;
  std::int64_t width = 0;
};

/// Returns the sum of the samples' losses and writes its gradient: rows of the same width, padded with zeros.
/// @param correct receives BatchResult::correct; may be null
/// @throws Error bad_data that names a sample with an invalid target for the loss.
double batch_loss_gradient(const Loss& loss, const OutputRows& rows, const Batch& batch, float* gradient,
                           std::int64_t* correct = nullptr);

/// Like batch_loss_gradient, on the threads of work_in_pieces. The result is bitwise identical.
double shared_batch_loss_gradient(const Loss& loss, const OutputRows& rows, const Batch& batch, float* gradient,
                                  std::int64_t* correct = nullptr);

/// Returns the loss sum and the hits of the batch. @param metrics receives the samples; may be null.
/// @throws Error like batch_loss_gradient.
EvaluationResult evaluate_batch_loss(const Loss& loss, const OutputRows& rows, const Batch& batch,
                                     SampleMetrics* metrics = nullptr);

}  // namespace troupe
