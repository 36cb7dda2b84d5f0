#pragma once

#include "models/devices/operation.hpp"
#include "models/losses/batch_loss.hpp"

namespace troupe::cpu {

/// Computes the last layer of a network together with the loss, so that the outputs of all positions are never in
/// memory together: for 50,000 classes they would take more memory than all other values.
class Head {
 public:
  Head() = default;
  Head(const Head&) = delete;
  Head& operator=(const Head&) = delete;
  virtual ~Head() = default;

  /// Returns the sum of the losses, and writes the gradients of the layer's tensors and of its input, as
  /// Operation::backward. `at.output` and `at.output_gradient` are not used.
  /// @param correct receives BatchResult::correct; may be null
  virtual double train(const BackwardOperands& at, const Batch& batch, std::int64_t* correct) = 0;
  virtual EvaluationResult evaluate(const ForwardOperands& at, const Batch& batch, SampleMetrics* metrics) = 0;
  /// Writes the outputs of all positions to `to`, row after row.
  virtual void outputs(const ForwardOperands& at, float* to) = 0;
};

}  // namespace troupe::cpu
