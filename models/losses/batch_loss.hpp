#pragma once

#include <cstdint>

#include "models/data/batches/batch.hpp"
#include "models/metrics/sample_metrics.hpp"
#include "troupe/loss.hpp"
#include "troupe/model.hpp"

namespace troupe {

/// The outputs of a network for a batch. There is one row of `width` floats for each sample; the first `count` floats
/// of a row are the outputs, the others are padding.
struct OutputRows {
  const float* first = nullptr;
  std::int64_t count = 0;
  std::int64_t width = 0;
};

/// Returns the sum of the losses of all samples, and writes the gradient of this sum with respect to the outputs.
/// @param gradient receives one row of `rows.width` floats for each sample; its padding is set to zero
/// @param correct receives BatchResult::correct; may be null
/// @throws Error bad_data that names a sample with an invalid target for the loss.
double batch_loss_gradient(const Loss& loss, const OutputRows& rows, const Batch& batch, float* gradient,
                           std::int64_t* correct = nullptr);

/// Does the same as batch_loss_gradient on several threads (see work_in_pieces). The result is bitwise identical.
double shared_batch_loss_gradient(const Loss& loss, const OutputRows& rows, const Batch& batch, float* gradient,
                                  std::int64_t* correct = nullptr);

/// Returns the sum of the losses, the number of correct samples, and the number of samples of the batch.
/// @param metrics null, or an object to which all samples are added
/// @throws Error like batch_loss_gradient.
EvaluationResult evaluate_batch_loss(const Loss& loss, const OutputRows& rows, const Batch& batch,
                                     SampleMetrics* metrics = nullptr);

}  // namespace troupe
