#include "models/layers/layers.hpp"

namespace troupe::models {

using Kind = Layer::Kind;

Layer convolution(std::int64_t outputs, std::int64_t kernel, std::int64_t padding, std::int64_t stride, bool bias) {
  return {.kind = Kind::convolution,
          .outputs = outputs,
          .kernel = kernel,
          .stride = stride,
          .padding = padding,
          .bias = bias};
}

Layer batch_norm() { return {.kind = Kind::batch_norm}; }

Layer relu() { return {.kind = Kind::relu}; }

Layer max_pool(std::int64_t kernel, std::int64_t stride, std::int64_t padding) {
  return {.kind = Kind::max_pool, .kernel = kernel, .stride = stride == 0 ? kernel : stride, .padding = padding};
}

Layer global_average_pool() { return {.kind = Kind::global_average_pool}; }

Layer add() { return {.kind = Kind::add}; }

Layer flatten() { return {.kind = Kind::flatten}; }

Layer linear(std::int64_t outputs) { return {.kind = Kind::linear, .outputs = outputs}; }

std::vector<Layer> mlp_layers(int num_classes) { return {flatten(), linear(128), relu(), linear(num_classes)}; }

std::vector<Layer> cnn_layers(int num_classes) {
  return {convolution(32, 3, 1), relu(), max_pool(2),        convolution(64, 3, 1), relu(), max_pool(2), flatten(),
          linear(128),           relu(), linear(num_classes)};
}

std::vector<Layer> cnn_bn_layers(int num_classes) {
  return {convolution(32, 3, 1, 1, false),
          batch_norm(),
          relu(),
          max_pool(2),
          convolution(64, 3, 1, 1, false),
          batch_norm(),
          relu(),
          max_pool(2),
          flatten(),
          linear(128),
          relu(),
          linear(num_classes)};
}

const char* kind_name(Kind kind) {
  switch (kind) {
    case Kind::convolution:
      return "convolution";
    case Kind::batch_norm:
      return "batch-norm";
    case Kind::relu:
      return "ReLU";
    case Kind::max_pool:
      return "max-pooling";
    case Kind::global_average_pool:
      return "global average pooling";
    case Kind::add:
      return "add";
    case Kind::flatten:
      return "flatten";
    case Kind::linear:
      return "linear";
  }
  return "unknown";
}

std::size_t num_inputs(Kind kind) { return kind == Kind::add ? 2 : 1; }

bool has_tensors(Kind kind) { return kind == Kind::convolution || kind == Kind::batch_norm || kind == Kind::linear; }

std::string layer_text(std::size_t number, const std::string& name, const Layer& layer) {
  const std::string number_text = std::to_string(number);
  const std::string quoted = name.empty() || name == number_text ? "" : " '" + name + "'";
  return "layer " + number_text + " (" + kind_name(layer.kind) + quoted + ")";
}

}  // namespace troupe::models
