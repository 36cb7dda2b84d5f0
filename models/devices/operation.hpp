#pragma once

#include "models/devices/buffer_schedule.hpp"
#include "troupe/layer.hpp"

namespace troupe {

/// What a layer reads and writes going forward, where the device has it. Weights and statistics are the layer's own
/// part of the flat vector.
struct ForwardOperands {
  BatchContext context;
  const void* input = nullptr;
  const void* addend = nullptr;  ///< the second input of layers that have one
  void* output = nullptr;
  const float* weights = nullptr;
  const void* product_weights = nullptr;  ///< the same as its products take them, on CUDA devices
  const float* statistics = nullptr;      ///< running ones, of batch-norm
  float* statistics_sums = nullptr;       ///< see ParameterLayout::update_statistics; null: go by the running ones
};

/// What it reads and writes going backward.
struct BackwardOperands {
  BatchContext context;
  const void* input = nullptr;
  const void* output = nullptr;
  void* output_gradient = nullptr;        ///< may be overwritten; see StageTraits
  const void* second_gradient = nullptr;  ///< to be added to it, where the layer takes two
  void* input_gradient = nullptr;         ///< null when nothing before it learns
  const float* weights = nullptr;
  const void* product_weights = nullptr;
  float* gradient = nullptr;  ///< of the weights
};

/// A layer for one batch size. On CUDA devices its passes only queue work on the context's compute stream.
class Operation {
 public:
  Operation() = default;
  Operation(const Operation&) = delete;
  Operation& operator=(const Operation&) = delete;
  virtual ~Operation() = default;

  virtual StageTraits traits() const = 0;
  /// Makes what only `backward` needs; called once, before it.
  virtual void prepare_backward() {}
  virtual void forward(const ForwardOperands& at) = 0;
  /// Writes the gradient of the layer's weights and that of its input. That of a second input is what it leaves in
  /// `output_gradient`.
  virtual void backward(const BackwardOperands& at) = 0;
};

}  // namespace troupe
