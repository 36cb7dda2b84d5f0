#pragma once

// Layers of your own, computed on the CPU over plain floats. examples/custom_layer.cpp shows one.

#include "troupe/layer.hpp"

namespace troupe::models {

/// Base class for a layer of your own with one input. Implement kind(), output(), forward() and backward(). If the
/// layer has tensors, implement has_tensors() and tensors(), too. Several threads may call forward() and backward() at
/// the same time, for different batches, so these functions must not keep state between calls.
class CustomLayer : public LayerSpec {
 public:
  /// The arguments of a forward pass for one batch. In `input` and `output`, samples lie one after the other,
  /// row-major. The shape of an input sample is the argument of `output()`, and the shape of an output sample is its
  /// result. In `tensors`, the layer's tensors lie one after the other, in the order of `tensors()`. Spans have no
  /// particular alignment.
  struct Forward {
    BatchContext context;
    std::int64_t samples = 0;
    std::span<const float> input;
    std::span<const float> tensors;
    std::span<float> output;
  };
  /// The arguments of a backward pass for one batch. The spans have the same layout as those of Forward.
  struct Backward {
    BatchContext context;
    std::int64_t samples = 0;
    std::span<const float> input;
    std::span<const float> output;
    std::span<const float> output_gradient;
    std::span<const float> tensors;
    /// Receives the gradient with respect to the input. Empty if no earlier layer needs this gradient.
    std::span<float> input_gradient;
    /// Receives the gradient with respect to the tensors, summed over the samples.
    std::span<float> tensors_gradient;
  };

  /// Returns true if a replica on an accelerator may compute this layer on the CPU. Its samples are then copied to the
  /// host and back for each batch. If false (default), a network with this layer throws an error on an accelerator.
  virtual bool takes_copies() const { return false; }

  /// Computes the forward pass of a batch and writes all values of `at.output`.
  virtual void forward(const Forward& at) const = 0;
  /// Computes the backward pass of a batch and writes all values of `at.input_gradient` and `at.tensors_gradient`.
  virtual void backward(const Backward& at) const = 0;

  std::size_t num_inputs() const final { return 1; }
  Folding folding() const final { return {}; }
  std::unique_ptr<cpu::LayerKernels> on_cpu() const final;
};

}  // namespace troupe::models
