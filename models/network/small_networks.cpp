#include "troupe/models.hpp"

namespace troupe::models {

std::vector<Layer> mlp_layers(int num_outputs) { return {flatten(), linear(128), relu(), linear(num_outputs)}; }

std::vector<Layer> cnn_layers(int num_outputs) {
  return {convolution(32, 3, 1), relu(), max_pool(2),        convolution(64, 3, 1), relu(), max_pool(2), flatten(),
          linear(128),           relu(), linear(num_outputs)};
}

std::vector<Layer> cnn_bn_layers(int num_outputs) {
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
          linear(num_outputs)};
}

}  // namespace troupe::models
