#pragma once

#include <cstdint>

#include "troupe/batches.hpp"
#include "troupe/loss.hpp"
#include "troupe/metric.hpp"
#include "troupe/model.hpp"

namespace troupe {

/// The outputs of a network for a batch: one row of `width` floats for each sample or, if samples have several labels,
/// for each label, starting at `first`. The first `count` floats of a row are the outputs; the other floats are
/// padding.
struct OutputRows {
  const float* first = nullptr;
  std::int64_t count = 0;
  std::int64_t width = 0;
  std::int64_t begin = 0;  ///< number of the first of these rows among those of the batch
  std::int64_t rows = 0;   ///< number of these rows; 0: all rows of the batch
};

/// Returns the number of losses that are added for a batch: the number of its samples or, if samples have several
/// labels, of labels that are not kIgnoredLabel.
std::int64_t terms_of(const Batch& batch);

/// Returns the sum of the losses of all rows, and writes the gradient of this sum with respect to the outputs.
/// @param gradient receives one row of `rows.width` floats for each row of outputs; the padding of the rows is set to
/// zero
/// @param correct receives the value of BatchResult::correct; may be null
/// @throws Error bad_data if the loss rejects the target of a sample; the message names the sample.
double batch_loss_gradient(const Loss& loss, const OutputRows& rows, const Batch& batch, float* gradient,
                           std::int64_t* correct = nullptr);

/// Computes the same as `batch_loss_gradient`, but on several threads (see work_in_pieces). The results of both
/// functions are bitwise identical.
double shared_batch_loss_gradient(const Loss& loss, const OutputRows& rows, const Batch& batch, float* gradient,
                                  std::int64_t* correct = nullptr);

/// Returns the sum of the losses, the number of correct rows, and the number of losses that were added.
/// @param metrics null, or an object to which the function adds all samples of the batch
/// @throws Error as batch_loss_gradient.
EvaluationResult evaluate_batch_loss(const Loss& loss, const OutputRows& rows, const Batch& batch,
                                     SampleMetrics* metrics = nullptr);

}  // namespace troupe
