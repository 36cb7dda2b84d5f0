#include "models/cpu/layers/window_pool.hpp"

#include "models/aligned.hpp"

namespace troupe::cpu {

namespace {

using dnnl::memory;
using PoolForward = dnnl::pooling_forward;
using PoolBackward = dnnl::pooling_backward;

/// The descriptors of one layer and batch size.
struct PoolDescriptors {
  Context& context;
  dnnl::algorithm how;
  memory::desc source, destination;
  memory::dims strides, kernel, padding, far_padding;

  PoolDescriptors(Context& the_context, const PlacedLayer& layer, const models::Window& window, dnnl::algorithm the_how,
                  std::int64_t batch)
      : context(the_context),
        how(the_how),
        source(images(batch, layer.input)),
        destination(images(batch, layer.output)),
        strides(2, window.stride),
        kernel(2, window.kernel),
        padding(2, window.padding),
        far_padding{window.far_padding(layer.planned.input.height, layer.planned.output.height),
                    window.far_padding(layer.planned.input.width, layer.planned.output.width)} {}

  PoolForward::primitive_desc forward() const {
    return {{dnnl::prop_kind::forward_training, how, source, destination, strides, kernel, padding, far_padding},
            attributes(),
            context.engine};
  }
  PoolBackward::primitive_desc backward(const PoolForward::primitive_desc& hint) const {
    return {{how, source, destination, strides, kernel, padding, far_padding}, attributes(), context.engine, hint};
  }
};

class WindowPool final : public Operation {
 public:
  WindowPool(const PlacedLayer& layer, std::int64_t batch, const PoolDescriptors& make)
      : WindowPool(layer, batch, make, make.forward()) {}

  StageTraits traits() const override { return {.reads_output = layer_.planned.relu}; }

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
  WindowPool(const PlacedLayer& layer, std::int64_t batch, const PoolDescriptors& make,
             const PoolForward::primitive_desc& made)
      : layer_(layer),
        batch_(batch),
        workspace_(made.workspace_desc().get_size() / sizeof(float) + 1),
        forward_(make.context, made, PoolForward(made),
                 {{DNNL_ARG_SRC, made.src_desc()},
                  {DNNL_ARG_DST, made.dst_desc()},
                  {DNNL_ARG_WORKSPACE, made.workspace_desc()}}),
        backward_(make_backward(make.context, make.backward(made))) {}

  static Primitive make_backward(Context& context, const PoolBackward::primitive_desc& made) {
    return {context,
            made,
            PoolBackward(made),
            {{DNNL_ARG_DIFF_DST, made.diff_dst_desc()},
             {DNNL_ARG_DIFF_SRC, made.diff_src_desc()},
             {DNNL_ARG_WORKSPACE, made.workspace_desc()}}};
  }

  const PlacedLayer& layer_;
  std::int64_t batch_;
  AlignedFloats workspace_;  ///< where each window's maximum was; averages need none
  Primitive forward_;
  Primitive backward_;
};

}  // namespace

std::unique_ptr<Operation> make_window_pool(Context& context, const PlacedLayer& layer, const models::Window& window,
                                            dnnl::algorithm how, std::int64_t batch) {
  return std::make_unique<WindowPool>(layer, batch, PoolDescriptors(context, layer, window, how, batch));
}

}  // namespace troupe::cpu
