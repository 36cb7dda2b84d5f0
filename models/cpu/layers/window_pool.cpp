#include "models/cpu/layers/window_pool.hpp"

#include "models/aligned.hpp"

namespace troupe::cpu {

namespace {

/// The pooling of one layer and batch size.
Pooling pooling_of(const PlacedLayer& layer, const models::Window& window, dnnl::algorithm how, std::int64_t batch) {
  const SampleShape& input = layer.planned.input;
  const SampleShape& output = layer.planned.output;
  return {
      .how = how,
      .source = images(batch, layer.input),
      .destination = images(batch, layer.output),
      .strides = {window.stride, window.stride},
      .kernel = {window.kernel, window.kernel},
      .padding = {window.padding, window.padding},
      .far_padding = {window.far_padding(input.height, output.height), window.far_padding(input.width, output.width)}};
}

class WindowPool final : public Operation {
 public:
  WindowPool(Context& context, const PlacedLayer& layer, std::int64_t batch, const Pooling& pooling)
      : WindowPool(context, layer, batch, pooling, describe_pooling(context.engine, attributes(), pooling)) {}

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
  WindowPool(Context& context, const PlacedLayer& layer, std::int64_t batch, const Pooling& pooling,
             const PoolForward::primitive_desc& made)
      : layer_(layer),
        batch_(batch),
        workspace_(made.workspace_desc().get_size() / sizeof(float) + 1),
        forward_(context, made, PoolForward(made),
                 {{DNNL_ARG_SRC, made.src_desc()},
                  {DNNL_ARG_DST, made.dst_desc()},
                  {DNNL_ARG_WORKSPACE, made.workspace_desc()}}),
        backward_(make_backward(context, describe_pooling_gradient(context.engine, attributes(), made, pooling))) {}

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
  return std::make_unique<WindowPool>(context, layer, batch, pooling_of(layer, window, how, batch));
}

}  // namespace troupe::cpu
