#include "troupe/models.hpp"

namespace troupe::models {
namespace {

void append(std::vector<Layer>& layers, const std::vector<Layer>& more) {
  layers.insert(layers.end(), more.begin(), more.end());
}

/// Appends a hidden layer to `layers`: linear, ReLU and, if `probability` is above 0, dropout.
void append_hidden(std::vector<Layer>& layers, std::int64_t width, double probability) {
  append(layers, {linear(width), relu()});
  if (probability > 0) layers.push_back(dropout(probability));
}

/// Appends the layers that come after the convolutions of a CNN: flatten, a hidden layer and the output layer.
void append_classifier(std::vector<Layer>& layers, int num_outputs, const CnnOptions& options) {
  layers.push_back(flatten());
  append_hidden(layers, options.hidden, options.dropout);
  layers.push_back(linear(num_outputs));
}

}  // namespace

std::vector<Layer> mlp_layers(int num_outputs, const MlpOptions& options) {
  std::vector<Layer> layers{flatten()};
  for (std::int64_t i = 0; i < options.layers; ++i) append_hidden(layers, options.hidden, options.dropout);
  layers.push_back(linear(num_outputs));
  return layers;
}

std::vector<Layer> cnn_layers(int num_outputs, const CnnOptions& options) {
  std::vector<Layer> layers;
  for (const std::int64_t channels : {options.channels, 2 * options.channels})
    append(layers, {conv2d(channels, {.kernel = 3, .padding = 1}), relu(), max_pool2d({.kernel = 2})});
  append_classifier(layers, num_outputs, options);
  return layers;
}

std::vector<Layer> cnn_bn_layers(int num_outputs, const CnnOptions& options) {
  std::vector<Layer> layers;
  for (const std::int64_t channels : {options.channels, 2 * options.channels})
    append(layers, {conv2d(channels, {.kernel = 3, .padding = 1, .bias = false}), batch_norm(), relu(),
                    max_pool2d({.kernel = 2})});
  append_classifier(layers, num_outputs, options);
  return layers;
}

}  // namespace troupe::models
