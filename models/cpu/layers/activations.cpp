#include "models/cpu/layer_kernels.hpp"
#include "models/cpu/packing.hpp"
#include "troupe/layers/gelu.hpp"
#include "troupe/layers/sigmoid.hpp"
#include "troupe/layers/tanh.hpp"

namespace troupe::cpu {

namespace {

using dnnl::algorithm;

bool reads_output(algorithm of) {
  return of == algorithm::eltwise_logistic_use_dst_for_bwd || of == algorithm::eltwise_tanh_use_dst_for_bwd;
}

class Eltwise final : public Operation {
 public:
  Eltwise(Context& context, const PlacedLayer& layer, std::int64_t batch, algorithm of)
      : Eltwise(context, layer, batch, of,
                describe_eltwise(context.engine, attributes(), of, images(batch, layer.output))) {}

  StageTraits traits() const override {
    return {.reads_input = !reads_output_, .reads_output = reads_output_, .input_gradient_in_place = true};
  }

  void forward(const ForwardOperands& at) override {
    forward_.run({at.input, at.output});
    if (moves_zero_) clear_padding(layer_.planned.output, layer_.output, batch_, at.output);
  }

  void backward(const BackwardOperands& at) override {
    if (at.input_gradient == nullptr) return;
    backward_.run({reads_output_ ? at.output : at.input, at.output_gradient, at.input_gradient});
  }

 private:
  Eltwise(Context& context, const PlacedLayer& layer, std::int64_t batch, algorithm of,
          const EltwiseForward::primitive_desc& made)
      : layer_(layer),
        batch_(batch),
        reads_output_(reads_output(of)),
        moves_zero_(of == algorithm::eltwise_logistic_use_dst_for_bwd),
        forward_(context, made, EltwiseForward(made),
                 {{DNNL_ARG_SRC, made.src_desc()}, {DNNL_ARG_DST, made.dst_desc()}}),
        backward_(make_backward(context, made.src_desc(), of, made)) {}

  static Primitive make_backward(Context& context, const dnnl::memory::desc& values, algorithm of,
                                 const EltwiseForward::primitive_desc& hint) {
    const auto made = describe_eltwise_gradient(context.engine, attributes(), hint, of, values);
    return {context,
            made,
            EltwiseBackward(made),
            {{reads_output(of) ? DNNL_ARG_DST : DNNL_ARG_SRC, values},
             {DNNL_ARG_DIFF_DST, made.diff_dst_desc()},
             {DNNL_ARG_DIFF_SRC, made.diff_src_desc()}}};
  }

  const PlacedLayer& layer_;
  std::int64_t batch_;
  bool reads_output_;
  bool moves_zero_;
  Primitive forward_;
  Primitive backward_;
};

/// Computes an activation function by oneDNN, for each value separately. Padding channels remain zero.
class EltwiseKernels final : public LayerKernels {
 public:
  /// @param algorithm the activation function. If the name of the algorithm ends in `use_dst_for_bwd`, the backward
  /// pass reads the output of the forward pass, otherwise its input
  explicit EltwiseKernels(algorithm algorithm) : algorithm_(algorithm) {}

  std::unique_ptr<Operation> make(Context& context, const PlacedLayer& layer, std::int64_t batch) const override {
    return std::make_unique<Eltwise>(context, layer, batch, algorithm_);
  }

 private:
  algorithm algorithm_;
};

std::unique_ptr<LayerKernels> eltwise(algorithm of) { return std::make_unique<EltwiseKernels>(of); }

}  // namespace

}  // namespace troupe::cpu

namespace troupe::models {

using dnnl::algorithm;

std::unique_ptr<cpu::LayerKernels> Gelu::on_cpu() const {
  return cpu::eltwise(form_ == GeluForm::erf ? algorithm::eltwise_gelu_erf : algorithm::eltwise_gelu_tanh);
}

std::unique_ptr<cpu::LayerKernels> Sigmoid::on_cpu() const {
  return cpu::eltwise(algorithm::eltwise_logistic_use_dst_for_bwd);
}

std::unique_ptr<cpu::LayerKernels> Tanh::on_cpu() const {
  return cpu::eltwise(algorithm::eltwise_tanh_use_dst_for_bwd);
}

}  // namespace troupe::models
