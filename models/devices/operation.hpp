#pragma once

#include "models/devices/buffer_schedule.hpp"
#include "troupe/layer.hpp"

namespace troupe {

/// The operands of a layer's forward pass, in device memory. `weights` and `statistics` are the parts of the flat
/// vector that belong to the layer.
struct ForwardOperands {
  BatchContext context = {};
  const void* input = nullptr;
  const void* addend = nullptr;  ///< the second input, for layers with two inputs
  void* output = nullptr;
  const float* weights = nullptr;
  const void* product_weights = nullptr;  ///< the weights in the layout that matrix products need, on CUDA devices
  const float* statistics = nullptr;      ///< running statistics of batch-norm
  /// Receives the sums that ParameterLayout::update_statistics describes. If null, batch-norm uses its running
  /// statistics.
  float* statistics_sums = nullptr;
};

/// The operands of a layer's backward pass, in device memory.
struct BackwardOperands {
  BatchContext context = {};
  const void* input = nullptr;
  const void* output = nullptr;
  void* output_gradient = nullptr;        ///< gradient of the output; the operation may overwrite it
  const void* second_gradient = nullptr;  ///< null, or added to `output_gradient` (StageTraits::takes_two_gradients)
  void* input_gradient = nullptr;         ///< receives the gradient of the input; null if no earlier layer learns
  bool adds_input_gradient = false;       ///< adds to `input_gradient` (StageTraits::adds_input_gradient)
  const float* weights = nullptr;
  const void* product_weights = nullptr;
  float* gradient = nullptr;          ///< receives the gradient of the weights
  bool adds_weight_gradient = false;  ///< adds to `gradient` (StageTraits::adds_weight_gradient)
};

/// Computes one layer, or several layers that run as one operation, for one batch size. On CUDA devices, `forward` and
/// `backward` only enqueue work on the context's compute stream.
class Operation {
 public:
  Operation() = default;
  Operation(const Operation&) = delete;
  Operation& operator=(const Operation&) = delete;
  virtual ~Operation() = default;

  virtual StageTraits traits() const = 0;
  /// Creates the resources that only `backward` needs. Called once, before the first call of `backward`.
  virtual void prepare_backward() {}
  virtual void forward(const ForwardOperands& at) = 0;
  /// Writes the gradients of the layer's weights and of its first input. If the layer has a second input,
  /// `at.output_gradient` afterwards contains the gradient of the second input.
  virtual void backward(const BackwardOperands& at) = 0;
};

}  // namespace troupe
