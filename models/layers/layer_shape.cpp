#include "models/layers/layer_shape.hpp"

#include <algorithm>
#include <cmath>

#include "runtime/invalid.hpp"
#include "troupe/error.hpp"

namespace troupe {

namespace {

using models::Layer;
using Kind = models::Layer::Kind;

[[noreturn]] void fail(const std::string& who, const std::string& why) { throw_invalid(who + " " + why); }

void check_images(const std::string& who, const SampleShape& input) {
  if (input.flat) fail(who, "needs images, but gets " + input.text() + " flat features");
}

void check_window(const std::string& who, const Layer& layer, const SampleShape& input) {
  constexpr std::int64_t kMaxKernel = 255;
  check_images(who, input);
  if (layer.kernel < 1 || layer.stride < 1 || layer.padding < 0)
    fail(who, "needs a positive kernel and stride, and no negative padding");
  if (layer.kernel > kMaxKernel) fail(who, "takes kernels of at most " + std::to_string(kMaxKernel));
  if (layer.padding >= layer.kernel) fail(who, "needs a padding smaller than its kernel");
  if (layer.kernel > std::min(input.height, input.width) + 2 * layer.padding)
    fail(who, "has a kernel of " + std::to_string(layer.kernel) + ", larger than its input of " + input.text());
}

SampleShape slide(const Layer& layer, std::int64_t channels, const SampleShape& input) {
  const auto extent = [&](std::int64_t size) { return (size + 2 * layer.padding - layer.kernel) / layer.stride + 1; };
  return {.channels = channels, .height = extent(input.height), .width = extent(input.width)};
}

SampleShape convolution_shape(const std::string& who, const Layer& layer, const SampleShape& input) {
  check_window(who, layer, input);
  if (layer.outputs < 1) fail(who, "needs at least one output channel");
  return slide(layer, layer.outputs, input);
}

SampleShape max_pool_shape(const std::string& who, const Layer& layer, const SampleShape& input) {
  check_window(who, layer, input);
  if (2 * layer.padding > layer.kernel) fail(who, "needs a padding of at most half its kernel");
  return slide(layer, input.channels, input);
}

SampleShape linear_shape(const std::string& who, const Layer& layer, const SampleShape& input) {
  if (!input.flat) fail(who, "needs flat input, but gets " + input.text() + "; put a flatten layer before it");
  if (layer.outputs < 1) fail(who, "needs at least one output");
  return {.channels = layer.outputs, .flat = true};
}

SampleShape sum_shape(const std::string& who, const SampleShape& first, const SampleShape& second) {
  if (first != second) fail(who, "needs two inputs of one shape, but gets " + first.text() + " and " + second.text());
  return first;
}

using Start = PlannedTensor::Start;

std::vector<PlannedTensor> batch_norm_tensors(const std::string& name, std::int64_t channels) {
  return {{{name + ".weight", {channels}}, Start::constant, 1},
          {{name + ".bias", {channels}}, Start::constant, 0},
          {{name + ".running_mean", {channels}}, Start::constant, 0},
          {{name + ".running_var", {channels}}, Start::constant, 1}};
}

/// @param shape of the weights, outputs first.
std::vector<PlannedTensor> biased_tensors(const std::string& name, std::vector<std::int64_t> shape) {
  const std::int64_t outputs = shape[0];
  PlannedTensor weight{{name + ".weight", std::move(shape)}};
  const double fan_in = static_cast<double>(weight.info.size()) / static_cast<double>(outputs);
  weight.start = Start::uniform;
  weight.scale = 1 / std::sqrt(fan_in);
  return {weight, {{name + ".bias", {outputs}}, weight.start, weight.scale}};
}

std::vector<PlannedTensor> convolution_tensors(const std::string& name, const Layer& layer, std::int64_t inputs) {
  std::vector<std::int64_t> shape{layer.outputs, inputs, layer.kernel, layer.kernel};
  if (layer.bias) return biased_tensors(name, std::move(shape));
  const auto fan_out = static_cast<double>(layer.outputs * layer.kernel * layer.kernel);
  return {{{name + ".weight", std::move(shape)}, Start::normal, std::sqrt(2 / fan_out)}};
}

}  // namespace

SampleShape output_shape(const std::string& who, const Layer& layer, std::span<const SampleShape> inputs) {
  const SampleShape& input = inputs[0];
  switch (layer.kind) {
    case Kind::convolution:
      return convolution_shape(who, layer, input);
    case Kind::max_pool:
      return max_pool_shape(who, layer, input);
    case Kind::linear:
      return linear_shape(who, layer, input);
    case Kind::add:
      return sum_shape(who, input, inputs[1]);
    case Kind::global_average_pool:
      check_images(who, input);
      return {.channels = input.channels, .flat = true};
    case Kind::flatten:
      return {.channels = input.size(), .flat = true};
    case Kind::batch_norm:
      check_images(who, input);
      return input;
    case Kind::relu:
      return input;
  }
  fail(who, "is of an unknown kind");
}

std::vector<PlannedTensor> layer_tensors(const std::string& name, const Layer& layer, const SampleShape& input) {
  if (layer.kind == Kind::convolution) return convolution_tensors(name, layer, input.channels);
  if (layer.kind == Kind::linear) return biased_tensors(name, {layer.outputs, input.channels});
  if (layer.kind == Kind::batch_norm) return batch_norm_tensors(name, input.channels);
  return {};
}

}  // namespace troupe
