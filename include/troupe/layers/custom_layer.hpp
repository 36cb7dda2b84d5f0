#pragma once

#include "troupe/layer.hpp"

namespace troupe::models {

/// A layer of one's own, computed on the CPU over plain floats: derive from it, say kind() and output(), and tensors()
/// and has_tensors() where it has any, and write the two passes. They may run on several threads at a time, for
/// different batches, so they keep nothing between calls.
class CustomLayer : public LayerSpec {
 public:
  /// Samples lie one after the other, row-major, in the shapes that output() was given and gave; tensors one after the
  /// other, in the order of tensors(). Spans are of any alignment.
  struct Forward {
    BatchContext context;
    std::int64_t samples = 0;
    std::span<const float> input;
    std::span<const float> tensors;
    std::span<float> output;
  };
  struct Backward {
    BatchContext context;
    std::int64_t samples = 0;
    std::span<const float> input;
    std::span<const float> output;
    std::span<const float> output_gradient;
    std::span<const float> tensors;
    std::span<float> input_gradient;    ///< empty where nothing before the layer learns
    std::span<float> tensors_gradient;  ///< of the sum over the samples
  };

  /// Whether an accelerator's replica has the CPU compute the layer, its samples copied there and back for each batch;
  /// else it refuses the layer.
  virtual bool takes_copies() const { return false; }

  /// Writes all of `output`.
  virtual void forward(const Forward& at) const = 0;
  /// Writes all of both gradients.
  virtual void backward(const Backward& at) const = 0;

  std::size_t num_inputs() const final { return 1; }
  Folding folding() const final { return {}; }
  std::unique_ptr<cpu::LayerKernels> on_cpu() const final;
};

}  // namespace troupe::models
