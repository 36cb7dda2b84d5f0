#include "troupe/models.hpp"

namespace troupe::models {

Layer convolution(std::int64_t outputs, std::int64_t kernel, std::int64_t padding, std::int64_t stride) {
  return {.kind = Layer::Kind::convolution, .outputs = outputs, .kernel = kernel, .stride = stride, .padding = padding};
}

Layer linear(std::int64_t outputs) { return {.kind = Layer::Kind::linear, .outputs = outputs}; }

Layer relu() { return {.kind = Layer::Kind::relu}; }

Layer max_pool(std::int64_t kernel) { return {.kind = Layer::Kind::max_pool, .kernel = kernel, .stride = kernel}; }

Layer flatten() { return {.kind = Layer::Kind::flatten}; }

std::vector<Layer> mlp_layers(int num_classes) { return {flatten(), linear(128), relu(), linear(num_classes)}; }

std::vector<Layer> cnn_layers(int num_classes) {
  return {convolution(32, 3, 1), relu(), max_pool(2),        convolution(64, 3, 1), relu(), max_pool(2), flatten(),
          linear(128),           relu(), linear(num_classes)};
}

}  // namespace troupe::models
