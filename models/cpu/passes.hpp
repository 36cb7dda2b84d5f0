#pragma once

#include "models/cpu/onednn.hpp"

namespace troupe::cpu {

/// Computes the forward pass of a layer with weights. `Layer` is dnnl::convolution_forward or
/// dnnl::inner_product_forward.
class ForwardPass {
 public:
  template <class Layer>
  static ForwardPass make(Context& context, const dnnl::memory::desc& stored,
                          const typename Layer::primitive_desc& made) {
    return {LayoutPort(context, context.weights, stored, made.weights_desc()),
            Primitive(context, made, Layer(made),
                      {{DNNL_ARG_SRC, made.src_desc()},
                       {DNNL_ARG_WEIGHTS, made.weights_desc()},
                       {DNNL_ARG_DST, made.dst_desc()},
                       {DNNL_ARG_BIAS, made.bias_desc()}})};
  }

  /// Computes the layer and writes its output. `biases` is not read if the layer has no bias.
  void run(const void* input, const float* weights, const float* biases, void* output) {
    primitive_.run({input, port_.read(weights), output, biases});
  }

 private:
  ForwardPass(LayoutPort port, Primitive primitive) : port_(std::move(port)), primitive_(std::move(primitive)) {}

  LayoutPort port_;
  Primitive primitive_;
};

/// Computes the gradient of a layer with respect to its weights and biases. `Layer` is oneDNN's class for this
/// gradient.
class WeightsPass {
 public:
  /// Creates the pass.
  /// @param stored the layout in which the weights are stored
  /// @param input the layout of the input
  /// @param output_gradient the layout of the output gradient
  /// @param made the descriptor of the primitive
  template <class Layer>
  static WeightsPass make(Context& context, const dnnl::memory::desc& stored, const dnnl::memory::desc& input,
                          const dnnl::memory::desc& output_gradient, const typename Layer::primitive_desc& made) {
    return {LayoutPort(context, context.weights, stored, made.diff_weights_desc()),
            LayoutPort(context, context.input, input, made.src_desc()),
            LayoutPort(context, context.gradient, output_gradient, made.diff_dst_desc()),
            Primitive(context, made, Layer(made),
                      {{DNNL_ARG_SRC, made.src_desc()},
                       {DNNL_ARG_DIFF_DST, made.diff_dst_desc()},
                       {DNNL_ARG_DIFF_WEIGHTS, made.diff_weights_desc()},
                       {DNNL_ARG_DIFF_BIAS, made.diff_bias_desc()}})};
  }

  void run(const void* input, const void* output_gradient, float* weights_gradient, float* biases_gradient) {
    primitive_.run({input_.read(input), output_gradient_.read(output_gradient), weights_.target(weights_gradient),
                    biases_gradient});
    weights_.written(weights_gradient);
  }

 private:
  WeightsPass(LayoutPort weights, LayoutPort input, LayoutPort output_gradient, Primitive primitive)
      : weights_(std::move(weights)),
        input_(std::move(input)),
        output_gradient_(std::move(output_gradient)),
        primitive_(std::move(primitive)) {}

  LayoutPort weights_;
  LayoutPort input_;
  LayoutPort output_gradient_;
  Primitive primitive_;
};

/// Computes the gradient of a layer with respect to its input. The template parameter `Layer` of `make`
/// is oneDNN's primitive for this gradient, such as `dnnl::convolution_backward_data`.
class DataPass {
 public:
  template <class Layer>
  static DataPass make(Context& context, const dnnl::memory::desc& stored, const typename Layer::primitive_desc& made) {
    return {LayoutPort(context, context.weights, stored, made.weights_desc()),
            Primitive(context, made, Layer(made),
                      {{DNNL_ARG_WEIGHTS, made.weights_desc()},
                       {DNNL_ARG_DIFF_DST, made.diff_dst_desc()},
                       {DNNL_ARG_DIFF_SRC, made.diff_src_desc()}})};
  }

  void run(const float* weights, const void* output_gradient, void* input_gradient) {
    primitive_.run({port_.read(weights), output_gradient, input_gradient});
  }

 private:
  DataPass(LayoutPort port, Primitive primitive) : port_(std::move(port)), primitive_(std::move(primitive)) {}

  LayoutPort port_;
  Primitive primitive_;
};

}  // namespace troupe::cpu
