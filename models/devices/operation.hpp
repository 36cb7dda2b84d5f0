#pragma once

#include "models/devices/buffer_schedule.hpp"
#include "troupe/layer.hpp"

namespace troupe {

/// The operands of a layer's forward pass, in device memory. Weights and statistics are the layer's own part of the
/// flat vector.
struct ForwardOperands {
  BatchContext context;
  const void* input = nullptr;
  const void* addend = nullptr;  ///< the second input, for layers with two inputs
  void* output = nullptr;
  const float* weights = nullptr;
  const void* product_weights = nullptr;  ///< the weights in the layout that matrix products need, on CUDA devices
  const float* statistics = nullptr;      ///< running statistics of batch-norm
  float* statistics_sums = nullptr;       ///< see ParameterLayout::update_statistics; null: use the running statistics
};

/// The operands of a layer's backward pass.
struct BackwardOperands {
  BatchContext context;
  const void* input = nullptr;
  const void* output = nullptr;
  void* output_gradient = nullptr;        ///< may be overwritten; see StageTraits
  const void* second_gradient = nullptr;  ///< added to `output_gradient`, if the layer takes two
  void* input_gradient = nullptr;         ///< null if nothing before the layer learns
  const float* weights = nullptr;
  const void* product_weights = nullptr;
  float* gradient = nullptr;  ///< gradient of the weights
};

/// A layer for one batch size. On CUDA devices its passes only enqueue work on the context's compute stream.
class Operation {
 public:
  Operation() = default;
  Operation(const Operation&) = delete;
  Operation& operator=(const Operation&) = delete;
  virtual ~Operation() = default;

  virtual StageTraits traits() const = 0;
  /// Creates what only `backward` needs. Called once, before the first call of `backward`.
  virtual void prepare_backward() {}
  virtual void forward(const ForwardOperands& at) = 0;
  /// Writes the gradients of the layer's weights and of its input. Afterwards, `output_gradient` holds the gradient of
  /// a second input.
  virtual void backward(const BackwardOperands& at) = 0;
};

}  // namespace troupe
