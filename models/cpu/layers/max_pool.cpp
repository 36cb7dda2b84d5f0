#include "troupe/layers/max_pool.hpp"

#include <optional>

#include "models/aligned.hpp"
#include "models/cpu/layer_kernels.hpp"
#include "models/cpu/layers/plain_max_pool.hpp"
#include "models/cpu/layers/pool_window.hpp"

namespace troupe::cpu {

using dnnl::memory;

namespace {

using Forward = dnnl::pooling_forward;
using Backward = dnnl::pooling_backward;

/// Max-pooling of any windows, oneDNN's.
class MaxPool final : public Operation {
 public:
  MaxPool(Context& context, const PlacedLayer& layer, std::int64_t batch)
      : MaxPool(context, layer, batch, forward_descriptor(context, layer, batch, dnnl::prop_kind::forward_training)) {}

  Traits traits() const override { return {.reads_output = layer_.planned.relu}; }

  void forward(const ForwardOperands& at) override {
    forward_.run({at.input, at.output, workspace_.data()});
    if (layer_.planned.relu) relu_forward(at.output, layer_.output, batch_);
  }

  void backward(const BackwardOperands& at) override {
    if (at.input_gradient == nullptr) return;
    if (layer_.planned.relu) relu_backward(at.output, at.output_gradient, layer_.output, batch_);
    backward_.run({at.output_gradient, at.input_gradient, workspace_.data()});
  }

 private:
  MaxPool(Context& context, const PlacedLayer& layer, std::int64_t batch, const Forward::primitive_desc& made)
      : layer_(layer),
        batch_(batch),
        workspace_(made.workspace_desc().get_size() / sizeof(float) + 1),
        forward_(context, made, Forward(made),
                 {{DNNL_ARG_SRC, made.src_desc()},
                  {DNNL_ARG_DST, made.dst_desc()},
                  {DNNL_ARG_WORKSPACE, made.workspace_desc()}}),
        backward_(make_backward(context, backward_descriptor(context, layer, batch, made))) {}

  static Primitive make_backward(Context& context, const Backward::primitive_desc& made) {
    return {context,
            made,
            Backward(made),
            {{DNNL_ARG_DIFF_DST, made.diff_dst_desc()},
             {DNNL_ARG_DIFF_SRC, made.diff_src_desc()},
             {DNNL_ARG_WORKSPACE, made.workspace_desc()}}};
  }

  static Forward::primitive_desc forward_descriptor(Context& context, const PlacedLayer& layer, std::int64_t batch,
                                                    dnnl::prop_kind kind) {
    const PoolWindow window(spec_of<models::MaxPool>(layer).window(), layer.planned);
    return {{kind, dnnl::algorithm::pooling_max, images(batch, layer.input), images(batch, layer.output),
             window.strides, window.kernel, window.padding, window.far_padding},
            attributes(),
            context.engine};
  }

  static Backward::primitive_desc backward_descriptor(Context& context, const PlacedLayer& layer, std::int64_t batch,
                                                      const Forward::primitive_desc& hint) {
    const PoolWindow window(spec_of<models::MaxPool>(layer).window(), layer.planned);
    return {{dnnl::algorithm::pooling_max, images(batch, layer.input), images(batch, layer.output), window.strides,
             window.kernel, window.padding, window.far_padding},
            attributes(),
            context.engine,
            hint};
  }

  const PlacedLayer& layer_;
  std::int64_t batch_;
  AlignedFloats workspace_;  ///< where each window's maximum was
  Primitive forward_;
  Primitive backward_;
};

class MaxPoolKernels final : public LayerKernels {
 public:
  std::unique_ptr<Operation> make(Context& context, const PlacedLayer& layer, std::int64_t batch) const override {
    if (is_plain_max_pool(layer)) return make_plain_max_pool(layer, batch);
    return std::make_unique<MaxPool>(context, layer, batch);
  }
};

}  // namespace

}  // namespace troupe::cpu

namespace troupe::models {

std::unique_ptr<cpu::LayerKernels> MaxPool::on_cpu() const { return std::make_unique<cpu::MaxPoolKernels>(); }

}  // namespace troupe::models
