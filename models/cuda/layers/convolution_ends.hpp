#pragma once

#include "models/cuda/kernels/bias.hpp"
#include "models/cuda/kernels/elementwise.hpp"
#include "models/cuda/operation.hpp"
#include "troupe/layers/convolution.hpp"

namespace troupe::cuda {

/// Base class of all convolutions. It computes bias and ReLU: after the convolution itself in the forward pass, and
/// before it in the backward pass. Derived classes compute the convolution itself.
class ConvolutionEnds : public Operation {
 public:
  StageTraits traits() const override { return {.reads_input = learns(), .reads_output = layer_.planned.relu}; }

 protected:
  ConvolutionEnds(Context& context, const PlacedLayer& layer, std::int64_t batch)
      : context_(context), layer_(layer), rows_(batch * layer.output.pixels()) {}

  /// Registers the workspace that the gradient of the bias needs. Derived classes must call need_bias_workspace in
  /// `prepare_backward`.
  void need_bias_workspace() const {
    if (learns() && has_bias()) context_.need_workspace(column_sums_scratch(rows_, outputs()));
  }
  void end_forward(const ForwardOperands& at) const {
    if (has_bias())
      add_bias(stream(), rows_, outputs(), element(), at.weights + layer_.parameters.vector(0), layer_.planned.relu,
               at.output);
    else if (layer_.planned.relu)
      relu_forward(stream(), element(), values(), at.output, at.output);
  }
  void begin_backward(const BackwardOperands& at) const {
    if (layer_.planned.relu) relu_backward(stream(), element(), values(), at.output, at.output_gradient);
    if (learns() && has_bias())
      column_sums(stream(), rows_, outputs(), element(), at.output_gradient, context_.workspace(),
                  at.gradient + layer_.parameters.vector(0));
  }

  bool learns() const { return !layer_.planned.keeps_tensors; }
  std::int64_t outputs() const { return layer_.output.shape.channels; }
  Element element() const { return layer_.output.element; }
  cudaStream_t stream() const { return context_.compute().get(); }

  Context& context_;
  const PlacedLayer& layer_;
  std::int64_t rows_;  ///< number of output pixels of all samples

 private:
  bool has_bias() const { return spec_of<models::Convolution>(layer_).bias(); }
  std::size_t values() const { return static_cast<std::size_t>(rows_ * outputs()); }
};

}  // namespace troupe::cuda
