#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "troupe/models.hpp"

namespace troupe::test {

/// A row-major batch of images, or of features with height and width 1.
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

/// A kind of layer with one input and without parameters, in plain loops.
struct PlainLayer {
  std::function<Tensor(const models::LayerSpec& layer, const Tensor& in)> forward;
  /// Adds to the gradient of the input.
  std::function<void(const models::LayerSpec& layer, const Tensor& in, const Tensor& out_gradient, Tensor& in_gradient)>
      backward;
};
/// Makes the kind known to the functions below.
void add_plain_layer(const std::string& kind, PlainLayer layer);
/// Returns an elementwise layer.
PlainLayer value_wise(double (*value)(double), double (*derivative)(double));

/// Returns the number of floats of the layer among the canonical parameters.
std::size_t num_parameters(const models::Layer& layer, const Tensor& input);

/// Mean and variance (biased) of a channel over samples and pixels.
struct Moments {
  double mean = 0;
  double variance = 0;
};
Moments moments(const Tensor& of, std::int64_t channel);

/// Computes a layer in plain loops. If `training`, batch-norm uses the moments of the batch, else its running
/// statistics.
Tensor forward(const models::Layer& layer, std::span<const Tensor* const> inputs, const double* parameters,
               bool training);

/// Computes gradients in training mode and adds them to the gradients of inputs and parameters.
void backward(const models::Layer& layer, std::span<const Tensor* const> inputs, const double* parameters,
              const Tensor& output_gradient, std::span<Tensor* const> input_gradients, double* parameter_gradient);

}  // namespace troupe::test
