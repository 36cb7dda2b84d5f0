#include "troupe/layers/average_pool.hpp"

#include "models/cpu/layer_kernels.hpp"
#include "models/cpu/layers/pool_window.hpp"

namespace troupe::cpu {

namespace {

using dnnl::algorithm;
using Forward = dnnl::pooling_forward;
using Backward = dnnl::pooling_backward;

class AveragePool final : public Operation {
 public:
  AveragePool(Context& context, const PlacedLayer& layer, std::int64_t batch)
      : AveragePool(context, layer, batch, forward_descriptor(context, layer, batch)) {}

  Traits traits() const override { return {}; }

  void forward(const ForwardOperands& at) override { forward_.run({at.input, at.output}); }

  void backward(const BackwardOperands& at) override {
    if (at.input_gradient != nullptr) backward_.run({at.output_gradient, at.input_gradient});
  }

 private:
  AveragePool(Context& context, const PlacedLayer& layer, std::int64_t batch, const Forward::primitive_desc& made)
      : forward_(context, made, Forward(made), {{DNNL_ARG_SRC, made.src_desc()}, {DNNL_ARG_DST, made.dst_desc()}}),
        backward_(make_backward(context, backward_descriptor(context, layer, batch, made))) {}

  static Primitive make_backward(Context& context, const Backward::primitive_desc& made) {
    return {context,
            made,
            Backward(made),
            {{DNNL_ARG_DIFF_DST, made.diff_dst_desc()}, {DNNL_ARG_DIFF_SRC, made.diff_src_desc()}}};
  }

  static PoolWindow window_of(const PlacedLayer& layer) {
    return {spec_of<models::AveragePool>(layer).window(), layer.planned};
  }

  static Forward::primitive_desc forward_descriptor(Context& context, const PlacedLayer& layer, std::int64_t batch) {
    const PoolWindow window = window_of(layer);
    return {{dnnl::prop_kind::forward_training, algorithm::pooling_avg_include_padding, images(batch, layer.input),
             images(batch, layer.output), window.strides, window.kernel, window.padding, window.far_padding},
            attributes(),
            context.engine};
  }

  static Backward::primitive_desc backward_descriptor(Context& context, const PlacedLayer& layer, std::int64_t batch,
                                                      const Forward::primitive_desc& hint) {
    const PoolWindow window = window_of(layer);
    return {{algorithm::pooling_avg_include_padding, images(batch, layer.input), images(batch, layer.output),
             window.strides, window.kernel, window.padding, window.far_padding},
            attributes(),
            context.engine,
            hint};
  }

  Primitive forward_;
  Primitive backward_;
};

class AveragePoolKernels final : public LayerKernels {
 public:
  std::unique_ptr<Operation> make(Context& context, const PlacedLayer& layer, std::int64_t batch) const override {
    return std::make_unique<AveragePool>(context, layer, batch);
  }
};

}  // namespace

}  // namespace troupe::cpu

namespace troupe::models {

std::unique_ptr<cpu::LayerKernels> AveragePool::on_cpu() const { return std::make_unique<cpu::AveragePoolKernels>(); }

}  // namespace troupe::models
