#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "troupe/models.hpp"

namespace troupe::test {

/// A batch of images, or of features (then height and width are 1), row-major.
struct Tensor {
  std::int64_t samples = 0;
  std::int64_t channels = 0;
  std::int64_t height = 1;
  std::int64_t width = 1;
  std::vector<double> values = {};

  Tensor() = default;
  Tensor(std::int64_t n, std::int64_t c, std::int64_t h, std::int64_t w)
      : samples(n), channels(c), height(h), width(w), values(static_cast<std::size_t>(n * c * h * w)) {}

  double& at(std::int64_t n, std::int64_t c, std::int64_t y, std::int64_t x) {
    return values[static_cast<std::size_t>(((n * channels + c) * height + y) * width + x)];
  }
  double at(std::int64_t n, std::int64_t c, std::int64_t y, std::int64_t x) const {
    return values[static_cast<std::size_t>(((n * channels + c) * height + y) * width + x)];
  }
  bool has(std::int64_t y, std::int64_t x) const { return y >= 0 && x >= 0 && y < height && x < width; }
};

/// A kind of layer of one input and without parameters, in plain loops.
struct PlainLayer {
  std::function<Tensor(const models::LayerSpec& layer, const Tensor& in)> forward;
  /// Adds to the input's gradient.
  std::function<void(const models::LayerSpec& layer, const Tensor& in, const Tensor& out_gradient, Tensor& in_gradient)>
      backward;
};
/// From now on the functions below know this kind.
void add_plain_layer(const std::string& kind, PlainLayer layer);
/// One that works value by value.
PlainLayer value_wise(double (*value)(double), double (*derivative)(double));

/// How many floats the layer has among the canonical parameters.
std::size_t num_parameters(const models::Layer& layer, const Tensor& input);

/// Mean and variance (biased) of a channel over samples and pixels.
struct Moments {
  double mean = 0;
  double variance = 0;
};
Moments moments(const Tensor& of, std::int64_t channel);

/// A layer in plain loops. `training` takes a batch-norm's moments from the batch, else from its running statistics.
Tensor forward(const models::Layer& layer, std::span<const Tensor* const> inputs, const double* parameters,
               bool training);

/// In training: adds to the gradients of inputs and parameters.
void backward(const models::Layer& layer, std::span<const Tensor* const> inputs, const double* parameters,
              const Tensor& output_gradient, std::span<Tensor* const> input_gradients, double* parameter_gradient);

}  // namespace troupe::test
