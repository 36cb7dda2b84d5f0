#include "models/cpu/layers/window_pool.hpp"

#include <cmath>
#include <limits>

#include "models/aligned.hpp"
#include "models/cpu/elementwise.hpp"
#include "troupe/layers/max_pool.hpp"

namespace troupe::cpu {

namespace {

/// Returns the parameters of oneDNN's pooling that computes the layer for batches of `batch` samples.
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

/// Sets each value of `output` to NaN if its window in `input` contains a NaN, because oneDNN's max-pooling ignores
/// NaN.
template <class T>
void spread_nans(const PlacedLayer& layer, const models::Window& window, std::int64_t batch, const T* input,
                 T* output) {
  const Layout& from = layer.input;
  const Layout& to = layer.output;
  const auto is_nan = [&](std::int64_t sample, std::int64_t channel, std::int64_t row, std::int64_t column) {
    if (row < 0 || column < 0 || row >= from.height || column >= from.width) return false;
    return std::isnan(to_float(input[sample * from.size() + from.position(channel, row, column)]));
  };
  const auto window_has_nan = [&](std::int64_t sample, std::int64_t channel, std::int64_t row, std::int64_t column) {
    for (std::int64_t i = 0; i < window.kernel; ++i)
      for (std::int64_t j = 0; j < window.kernel; ++j)
        if (is_nan(sample, channel, row * window.stride - window.padding + i,
                   column * window.stride - window.padding + j))
          return true;
    return false;
  };
  for (std::int64_t sample = 0; sample < batch; ++sample)
    for (std::int64_t channel = 0; channel < to.channels; ++channel)
      for (std::int64_t row = 0; row < to.height; ++row)
        for (std::int64_t column = 0; column < to.width; ++column)
          if (window_has_nan(sample, channel, row, column))
            store(std::numeric_limits<float>::quiet_NaN(),
                  output[sample * to.size() + to.position(channel, row, column)]);
}

class WindowPool final : public Operation {
 public:
  WindowPool(Context& context, const PlacedLayer& layer, std::int64_t batch, const Pooling& pooling)
      : WindowPool(context, layer, batch, pooling, describe_pooling(context.engine, attributes(), pooling)) {}

  StageTraits traits() const override { return {.reads_output = layer_.planned.relu}; }

  void forward(const ForwardOperands& at) override {
    forward_.run({at.input, at.output, workspace_.data()});
    if (is_maximum_ && has_nan(at.input, layer_.input, batch_)) keep_nans(at);
    if (layer_.planned.relu) relu_forward(at.output, layer_.output, batch_);
  }

  void backward(const BackwardOperands& at) override {
    if (at.input_gradient == nullptr) return;
    if (layer_.planned.relu) relu_backward(at.output, at.output_gradient, layer_.output, batch_);
    backward_.run({at.output_gradient, at.input_gradient, workspace_.data()});
  }

 private:
  void keep_nans(const ForwardOperands& at) const {
    const models::Window& window = spec_of<models::MaxPool>(layer_).window();
    if (layer_.input.element == Element::f32)
      spread_nans(layer_, window, batch_, static_cast<const float*>(at.input), static_cast<float*>(at.output));
    else
      spread_nans(layer_, window, batch_, static_cast<const Bfloat16*>(at.input), static_cast<Bfloat16*>(at.output));
  }

  WindowPool(Context& context, const PlacedLayer& layer, std::int64_t batch, const Pooling& pooling,
             const PoolForward::primitive_desc& made)
      : layer_(layer),
        batch_(batch),
        is_maximum_(pooling.how == dnnl::algorithm::pooling_max),
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
  bool is_maximum_;
  AlignedFloats workspace_;  ///< positions of the maxima; empty for average pooling
  Primitive forward_;
  Primitive backward_;
};

}  // namespace

std::unique_ptr<Operation> make_window_pool(Context& context, const PlacedLayer& layer, const models::Window& window,
                                            dnnl::algorithm how, std::int64_t batch) {
  return std::make_unique<WindowPool>(context, layer, batch, pooling_of(layer, window, how, batch));
}

}  // namespace troupe::cpu
