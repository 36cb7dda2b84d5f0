#include "models/network_plan.hpp"

#include <algorithm>

#include "troupe/error.hpp"

namespace troupe {

namespace {

using models::Layer;
using Kind = models::Layer::Kind;

const char* name_of(Kind kind) {
  switch (kind) {
    case Kind::convolution:
      return "convolution";
    case Kind::linear:
      return "linear";
    case Kind::relu:
      return "ReLU";
    case Kind::max_pool:
      return "max-pooling";
    case Kind::flatten:
      return "flatten";
  }
  return "unknown";
}

SampleShape input_shape(std::span<const std::int64_t> shape) {
  switch (shape.size()) {
    case 1:
      return {.channels = shape[0], .flat = true};
    case 2:
      return {.channels = 1, .height = shape[0], .width = shape[1]};
    case 3:
      return {.channels = shape[0], .height = shape[1], .width = shape[2]};
    default:
      throw Error(ErrorCode::invalid_argument,
                  "a network takes samples of 1 to 3 dimensions, not " + std::to_string(shape.size()));
  }
}

class Planner {
 public:
  Planner(std::span<const Layer> layers, SampleShape input, int num_classes) : layers_(layers), shape_(input) {
    plan_.input = input;
    plan_.num_classes = num_classes;
  }

  NetworkPlan plan() {
    if (layers_.empty()) throw Error(ErrorCode::invalid_argument, "a network needs at least one layer");
    if (plan_.num_classes < 1) throw Error(ErrorCode::invalid_argument, "a network needs data with classes");
    for (index_ = 0; index_ < layers_.size(); ++index_) add(layers_[index_]);
    if (plan_.tensors.empty()) throw Error(ErrorCode::invalid_argument, "a network needs a layer with weights");
    index_ = layers_.size() - 1;
    if (!shape_.flat || shape_.channels != plan_.num_classes)
      fail("gives " + shape_.text() + " outputs, but the data has " + std::to_string(plan_.num_classes) + " classes");
    return std::move(plan_);
  }

 private:
  [[noreturn]] void fail(const std::string& why) const {
    throw Error(ErrorCode::invalid_argument,
                "layer " + std::to_string(index_) + " (" + name_of(layers_[index_].kind) + ") " + why);
  }

  void add(const Layer& layer) {
    switch (layer.kind) {
      case Kind::convolution:
        return add_convolution(layer);
      case Kind::linear:
        return add_linear(layer);
      case Kind::relu:
        return add_relu(layer);
      case Kind::max_pool:
        return add_max_pool(layer);
      case Kind::flatten:
        shape_ = {.channels = shape_.size(), .flat = true};
        return;
    }
    fail("is of an unknown kind");
  }

  void add_convolution(const Layer& layer) {
    check_window(layer);
    if (layer.outputs < 1) fail("needs at least one output channel");
    const auto extent = [&](std::int64_t size) { return (size + 2 * layer.padding - layer.kernel) / layer.stride + 1; };
    const std::int64_t inputs = shape_.channels;
    push(layer, {.channels = layer.outputs, .height = extent(shape_.height), .width = extent(shape_.width)});
    add_tensors({layer.outputs, inputs, layer.kernel, layer.kernel}, inputs * layer.kernel * layer.kernel);
  }

  void add_linear(const Layer& layer) {
    if (!shape_.flat) fail("needs flat input, but gets " + shape_.text() + "; put a flatten layer before it");
    if (layer.outputs < 1) fail("needs at least one output");
    const std::int64_t inputs = shape_.channels;
    push(layer, {.channels = layer.outputs, .flat = true});
    add_tensors({layer.outputs, inputs}, inputs);
  }

  void add_max_pool(const Layer& layer) {
    check_window(layer);
    if (layer.stride != layer.kernel || layer.padding != 0) fail("needs a stride equal to its kernel and no padding");
    push(layer,
         {.channels = shape_.channels, .height = shape_.height / layer.kernel, .width = shape_.width / layer.kernel});
    plan_.layers.back().relu = relu_before_pool_;
    relu_before_pool_ = false;
  }

  void add_relu(const Layer& layer) {
    const bool pool_follows = index_ + 1 < layers_.size() && layers_[index_ + 1].kind == Kind::max_pool;
    if (pool_follows && !shape_.flat) {
      relu_before_pool_ = true;
    } else if (!plan_.layers.empty()) {
      plan_.layers.back().relu = true;
    } else {
      push(layer, shape_);
    }
  }

  void check_window(const Layer& layer) const {
    if (shape_.flat) fail("needs images, but gets " + shape_.text() + " flat features");
    if (layer.kernel < 1 || layer.stride < 1 || layer.padding < 0)
      fail("needs a positive kernel and stride, and no negative padding");
    if (layer.kernel > kMaxKernel) fail("takes kernels of at most " + std::to_string(kMaxKernel));
    if (layer.padding >= layer.kernel) fail("needs a padding smaller than its kernel");
    if (layer.kernel > std::min(shape_.height, shape_.width) + 2 * layer.padding)
      fail("has a kernel of " + std::to_string(layer.kernel) + ", larger than its input of " + shape_.text());
  }

  void push(const Layer& layer, SampleShape output) {
    plan_.layers.push_back({.layer = layer, .input = shape_, .output = output});
    shape_ = output;
  }

  void add_tensors(std::vector<std::int64_t> shape, std::int64_t fan_in) {
    plan_.layers.back().weights = static_cast<int>(plan_.tensors.size());
    const std::string prefix = std::to_string(index_);
    const std::int64_t outputs = shape[0];
    plan_.tensors.push_back({{prefix + ".weight", std::move(shape)}, fan_in});
    plan_.tensors.push_back({{prefix + ".bias", {outputs}}, fan_in});
  }

  static constexpr std::int64_t kMaxKernel = 255;

  std::span<const Layer> layers_;
  std::size_t index_ = 0;
  SampleShape shape_;
  NetworkPlan plan_;
  bool relu_before_pool_ = false;
};

}  // namespace

std::string SampleShape::text() const {
  if (flat) return std::to_string(channels);
  return std::to_string(channels) + "x" + std::to_string(height) + "x" + std::to_string(width);
}

NetworkPlan plan_network(std::span<const Layer> layers, std::span<const std::int64_t> sample_shape, int num_classes) {
  return Planner(layers, input_shape(sample_shape), num_classes).plan();
}

}  // namespace troupe
