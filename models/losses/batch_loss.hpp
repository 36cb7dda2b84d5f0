#pragma once

#include <cstdint>

#include "models/data/batches/batch.hpp"
#include "models/metrics/sample_metrics.hpp"
#include "troupe/loss.hpp"
#include "troupe/model.hpp"

namespace troupe {

/// The outputs of a batch, a row a sample: `count` outputs at the start of each `width` floats.
struct OutputRows {
  const float* first = nullptr;
  std::int64_t count = 0;
  std::int64_t width = 0;
};

/// The sum of the samples' losses; writes its gradient, rows of the same width, with zeros behind the outputs.
/// @param correct null, or where to write BatchResult::correct
/// @throws Error bad_data naming the sample whose target the loss does not take.
double batch_loss_gradient(const Loss& loss, const OutputRows& rows, const Batch& batch, float* gradient,
                           std::int64_t* correct = nullptr);

/// The same, bit for bit, by the threads of work_in_pieces.
double shared_batch_loss_gradient(const Loss& loss, const OutputRows& rows, const Batch& batch, float* gradient,
                                  std::int64_t* correct = nullptr);

/// Loss sum and hits of the batch. @param metrics null, or to which its samples are added. @throws Error as above.
EvaluationResult evaluate_batch_loss(const Loss& loss, const OutputRows& rows, const Batch& batch,
                                     SampleMetrics* metrics = nullptr);

}  // namespace troupe
