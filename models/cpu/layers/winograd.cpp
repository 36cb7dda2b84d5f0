#include "models/cpu/layers/winograd.hpp"

#include <algorithm>
#include <utility>

#include "models/cpu/layer_kernels.hpp"
#include "troupe/layers/convolution.hpp"

namespace troupe::cpu {

using dnnl::memory;

namespace {

constexpr auto kType = memory::data_type::f32;

/// Limit for the total size in bytes of the transformed inputs and the products that are computed at once. This many
/// bytes fit into a second-level cache.
constexpr std::int64_t kBytesAtOnce = std::int64_t{1} << 20;
constexpr std::int64_t kFewestTiles = 16;  // at least this many tiles at once, because smaller products are slow

/// The gap in floats between two consecutive matrices of WinogradMatrices. Without a gap, the 36 values of a tile would
/// often compete for the same cache lines.
constexpr std::int64_t kGap = 16;

WinogradImages images_of(const Layout& layout) { return {layout.channels, layout.height, layout.width, layout.inner}; }

/// Returns the layout of weights in blocks of input x output channels. Within a block, the output channels are adjacent
/// for the forward pass, and the input channels for the gradient of the input.
memory::desc blocked_weights(const PlacedLayer& layer, WinogradPass::Direction direction) {
  using Tag = memory::format_tag;
  const bool forward = direction == WinogradPass::Direction::forward;
  const Tag by_16 = forward ? Tag::OIhw16i16o : Tag::OIhw16o16i;
  const Tag by_8 = forward ? Tag::OIhw8i8o : Tag::OIhw8o8i;
  return {{layer.output.channels, layer.input.channels, kWinogradKernel, kWinogradKernel},
          kType,
          layer.input.inner == 16 ? by_16 : by_8};
}

WinogradWeights weights_of(const PlacedLayer& layer, WinogradPass::Direction direction) {
  const std::int64_t inner = layer.input.inner;
  const std::int64_t block = kWinogradKernel * kWinogradKernel * inner * inner;
  const std::int64_t of_an_output_block = layer.input.channels / inner * block;
  if (direction == WinogradPass::Direction::forward)
    return {layer.input.channels, layer.output.channels, inner, block, of_an_output_block, false};
  return {layer.output.channels, layer.input.channels, inner, of_an_output_block, block, true};
}

memory::desc matrices(std::int64_t rows, std::int64_t columns, std::int64_t stride) {
  return {{kWinogradPlaces, rows, columns}, kType, memory::dims{stride, columns, 1}};
}

bool has_block(const Layout& layout) { return layout.inner == 8 || layout.inner == 16; }

}  // namespace

std::unique_ptr<WinogradPass> WinogradPass::make(Context& context, const PlacedLayer& layer, std::int64_t samples,
                                                 Direction direction) {
  const models::Window& window = spec_of<models::Convolution>(layer).window();
  const bool same_size = window.kernel == kWinogradKernel && window.stride == 1 && window.padding == 1;
  if (!same_size || layer.input.element != Element::f32) return nullptr;
  if (!has_block(layer.input) || layer.input.inner != layer.output.inner) return nullptr;
  try {
    std::unique_ptr<WinogradPass> pass(new WinogradPass(context, layer, samples, direction));
    return pass->is_slow_ ? nullptr : std::move(pass);
  } catch (const dnnl::error&) {  // thrown by oneDNN if it has no such product
    return nullptr;
  }
}

WinogradPass::WinogradPass(Context& context, const PlacedLayer& layer, std::int64_t samples, Direction direction)
    : context_(context),
      input_(images_of(direction == Direction::forward ? layer.input : layer.output)),
      output_(images_of(direction == Direction::forward ? layer.output : layer.input)),
      weights_(weights_of(layer, direction)),
      tiles_(samples * input_.tiles()),
      weights_stride_(weights_.rows * weights_.columns + kGap),
      input_stride_(tiles_at_once() * input_.channels + kGap),
      output_stride_(tiles_at_once() * output_.channels + kGap),
      port_(context, context.weights, layer.weights->stored, blocked_weights(layer, direction)),
      products_(make_products(tiles_at_once())),
      last_products_(make_products((tiles_ - 1) % tiles_at_once() + 1)) {
  context.winograd.reserve(
      static_cast<std::size_t>(kWinogradPlaces * (weights_stride_ + input_stride_ + output_stride_)) * sizeof(float));
}

std::int64_t WinogradPass::tiles_at_once() const {
  const std::int64_t bytes = kWinogradPlaces * (input_.channels + output_.channels) * std::int64_t{sizeof(float)};
  return std::clamp(kBytesAtOnce / bytes, std::min(kFewestTiles, tiles_), tiles_);
}

Primitive WinogradPass::make_products(std::int64_t tiles) {
  const auto made = describe_forward<dnnl::matmul>(
      context_.engine, attributes(), matrices(tiles, input_.channels, input_stride_),
      matrices(weights_.rows, weights_.columns, weights_stride_), matrices(tiles, output_.channels, output_stride_));
  is_slow_ = is_reference(made.impl_info_str());
  return {context_,
          made,
          dnnl::matmul(made),
          {{DNNL_ARG_SRC, made.src_desc()}, {DNNL_ARG_WEIGHTS, made.weights_desc()}, {DNNL_ARG_DST, made.dst_desc()}}};
}

void WinogradPass::run(const void* input, const float* weights, const float* biases, void* output) {
  float* const transformed = context_.winograd.floats();
  float* const inputs = transformed + kWinogradPlaces * weights_stride_;
  float* const products = inputs + kWinogradPlaces * input_stride_;
  transform_weights(weights_, static_cast<const float*>(port_.read(weights)), {transformed, weights_stride_});
  const std::int64_t most = tiles_at_once();
  for (std::int64_t first = 0; first < tiles_; first += most) {
    const TileRange range{first, std::min(most, tiles_ - first)};
    transform_input(input_, range, static_cast<const float*>(input), {inputs, input_stride_});
    (first + most < tiles_ ? products_ : last_products_).run({inputs, transformed, products});
    transform_output(output_, range, {products, output_stride_}, biases, static_cast<float*>(output));
  }
}

}  // namespace troupe::cpu
