#pragma once

#include "models/cpu/layer_kernels.hpp"

namespace troupe::cpu {

/// Computes a linear layer for rows: positions of samples. `place_sequence` must have placed the layer.
class LinearRows {
 public:
  explicit LinearRows(const PlacedLayer& layer);

  std::int64_t inputs() const { return layer_.input.channels; }
  std::int64_t outputs() const { return layer_.output.channels; }
  bool learns() const { return !layer_.planned.keeps_tensors; }

  /// Writes the outputs of `rows` rows of `input`.
  /// @param weights the tensors of the layer
  /// @param addend null, or values that are added to the outputs
  void forward(const float* input, const float* weights, const float* addend, std::int64_t rows, float* to) const;
  /// Writes the gradient of the layer's tensors, or adds it.
  /// @param output_gradient the gradients of the rows' outputs
  void weights_backward(const float* input, const float* output_gradient, std::int64_t rows, bool adds,
                        float* to) const;
  /// Writes the gradient of the input, or adds it.
  void input_backward(const float* output_gradient, const float* weights, std::int64_t rows, bool adds,
                      float* to) const;

 private:
  std::int64_t bias_offset() const { return inputs() * outputs(); }

  const PlacedLayer& layer_;
  bool bias_;
};

/// Returns the operation of a linear layer whose input is a sequence.
std::unique_ptr<Operation> make_position_linear(const PlacedLayer& layer, std::int64_t batch);

/// See LayerKernels::make_head.
std::unique_ptr<Head> make_linear_head(Context& context, const PlacedLayer& last, const Loss& loss, std::int64_t batch);

}  // namespace troupe::cpu
