#include "reference_layers.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>
#include <utility>

namespace troupe::test {

namespace {

using models::Layer;
using models::Window;

/// Returns the layer if it is of that kind, else null.
template <class Spec>
const Spec* as(const Layer& layer) {
  return dynamic_cast<const Spec*>(layer.get());
}

constexpr double kEpsilon = 1e-5;

template <class Visit>
void for_each(const Tensor& of, const Visit& visit) {
  for (std::int64_t n = 0; n < of.samples; ++n)
    for (std::int64_t c = 0; c < of.channels; ++c)
      for (std::int64_t y = 0; y < of.height; ++y)
        for (std::int64_t x = 0; x < of.width; ++x) visit(n, c, y, x);
}

std::int64_t extent(const Window& window, std::int64_t size) {
  return (size + 2 * window.padding - window.kernel) / window.stride + 1;
}

Tensor slide(const Window& window, const Tensor& in, std::int64_t channels) {
  return {in.samples, channels, extent(window, in.height), extent(window, in.width)};
}

/// Calls `visit` for each input in the window of output (y, x) and in the image, with its number in the window.
template <class Visit>
void under_window(const Window& window, const Tensor& in, std::int64_t y, std::int64_t x, const Visit& visit) {
  for (std::int64_t i = 0; i < window.kernel; ++i)
    for (std::int64_t j = 0; j < window.kernel; ++j) {
      const std::int64_t row = y * window.stride - window.padding + i;
      const std::int64_t column = x * window.stride - window.padding + j;
      if (in.has(row, column)) visit(i * window.kernel + j, row, column);
    }
}

/// Calls `visit` for each product of a convolution with output, input channel and pixel, and number of the weight.
template <class Visit>
void convolve(const models::Convolution& layer, const Tensor& in, const Tensor& out, const Visit& visit) {
  const std::int64_t window = layer.window().kernel * layer.window().kernel;
  for_each(out, [&](std::int64_t n, std::int64_t o, std::int64_t y, std::int64_t x) {
    for (std::int64_t c = 0; c < in.channels; ++c)
      under_window(layer.window(), in, y, x, [&](std::int64_t number, std::int64_t row, std::int64_t column) {
        visit(n, o, y, x, c, row, column, (o * in.channels + c) * window + number);
      });
  });
}

Tensor convolution_forward(const models::Convolution& layer, const Tensor& in, const double* weights) {
  Tensor out = slide(layer.window(), in, layer.outputs());
  const double* const biases = weights + layer.outputs() * in.channels * layer.window().kernel * layer.window().kernel;
  if (layer.bias()) for_each(out, [&](auto n, auto c, auto y, auto x) { out.at(n, c, y, x) = biases[c]; });
  convolve(layer, in, out, [&](auto n, auto o, auto y, auto x, auto c, auto row, auto column, auto weight) {
    out.at(n, o, y, x) += weights[weight] * in.at(n, c, row, column);
  });
  return out;
}

void convolution_backward(const models::Convolution& layer, const Tensor& in, const double* weights,
                          const Tensor& out_gradient, Tensor& in_gradient, double* gradient) {
  double* const biases = gradient + layer.outputs() * in.channels * layer.window().kernel * layer.window().kernel;
  if (layer.bias())
    for_each(out_gradient, [&](auto n, auto c, auto y, auto x) { biases[c] += out_gradient.at(n, c, y, x); });
  convolve(layer, in, out_gradient, [&](auto n, auto o, auto y, auto x, auto c, auto row, auto column, auto weight) {
    gradient[weight] += out_gradient.at(n, o, y, x) * in.at(n, c, row, column);
    in_gradient.at(n, c, row, column) += out_gradient.at(n, o, y, x) * weights[weight];
  });
}

Tensor linear_forward(const models::Linear& layer, const Tensor& in, const double* weights) {
  Tensor out(in.samples, layer.outputs(), 1, 1);
  for_each(out, [&](auto n, auto o, auto, auto) {
    double& sum = out.at(n, o, 0, 0) = weights[layer.outputs() * in.channels + o];
    for (std::int64_t i = 0; i < in.channels; ++i) sum += weights[o * in.channels + i] * in.at(n, i, 0, 0);
  });
  return out;
}

void linear_backward(const models::Linear& layer, const Tensor& in, const double* weights, const Tensor& out_gradient,
                     Tensor& in_gradient, double* gradient) {
  for_each(out_gradient, [&](auto n, auto o, auto, auto) {
    const double slope = out_gradient.at(n, o, 0, 0);
    gradient[layer.outputs() * in.channels + o] += slope;
    for (std::int64_t i = 0; i < in.channels; ++i) {
      gradient[o * in.channels + i] += slope * in.at(n, i, 0, 0);
      in_gradient.at(n, i, 0, 0) += slope * weights[o * in.channels + i];
    }
  });
}

/// `parameters` contains weight, bias, running mean and running variance, in this order.
Tensor batch_norm_forward(const Tensor& in, const double* parameters, bool training) {
  Tensor out = in;
  const std::int64_t channels = in.channels;
  for (std::int64_t channel = 0; channel < channels; ++channel) {
    const Moments running{parameters[2 * channels + channel], parameters[3 * channels + channel]};
    const Moments of = training ? moments(in, channel) : running;
    for_each(out, [&](auto n, auto c, auto y, auto x) {
      if (c != channel) return;
      const double normalised = (in.at(n, c, y, x) - of.mean) / std::sqrt(of.variance + kEpsilon);
      out.at(n, c, y, x) = parameters[c] * normalised + parameters[channels + c];
    });
  }
  return out;
}

void batch_norm_backward(const Tensor& in, const double* parameters, const Tensor& out_gradient, Tensor& in_gradient,
                         double* gradient) {
  const auto count = static_cast<double>(in.samples * in.height * in.width);
  for (std::int64_t channel = 0; channel < in.channels; ++channel) {
    const Moments of = moments(in, channel);
    const double deviation = std::sqrt(of.variance + kEpsilon);
    const auto normalised = [&](auto n, auto y, auto x) { return (in.at(n, channel, y, x) - of.mean) / deviation; };
    double sum = 0;
    double product = 0;
    for_each(in, [&](auto n, auto c, auto y, auto x) {
      if (c != channel) return;
      sum += out_gradient.at(n, c, y, x);
      product += out_gradient.at(n, c, y, x) * normalised(n, y, x);
    });
    gradient[channel] += product;
    gradient[in.channels + channel] += sum;
    for_each(in, [&](auto n, auto c, auto y, auto x) {
      if (c != channel) return;
      const double centred = out_gradient.at(n, c, y, x) - sum / count - normalised(n, y, x) * product / count;
      in_gradient.at(n, c, y, x) += parameters[channel] / deviation * centred;
    });
  }
}

/// Calls `visit` for the largest input in each window, the first one of equals.
template <class Visit>
void pool(const Window& window, const Tensor& in, const Tensor& out, const Visit& visit) {
  for_each(out, [&](auto n, auto c, auto y, auto x) {
    std::int64_t best_row = -1;
    std::int64_t best_column = -1;
    under_window(window, in, y, x, [&](auto, auto row, auto column) {
      if (best_row >= 0 && in.at(n, c, row, column) <= in.at(n, c, best_row, best_column)) return;
      best_row = row;
      best_column = column;
    });
    visit(n, c, y, x, best_row, best_column);
  });
}

Tensor max_pool_forward(const Window& window, const Tensor& in) {
  Tensor out = slide(window, in, in.channels);
  pool(window, in, out,
       [&](auto n, auto c, auto y, auto x, auto row, auto column) { out.at(n, c, y, x) = in.at(n, c, row, column); });
  return out;
}

void relu_backward(const Tensor& in, const Tensor& out_gradient, Tensor& in_gradient) {
  for (std::size_t i = 0; i < in.values.size(); ++i)
    if (in.values[i] > 0) in_gradient.values[i] += out_gradient.values[i];
}

Tensor global_average(const Tensor& in) {
  Tensor out(in.samples, in.channels, 1, 1);
  const auto pixels = static_cast<double>(in.height * in.width);
  for_each(in, [&](auto n, auto c, auto y, auto x) { out.at(n, c, 0, 0) += in.at(n, c, y, x) / pixels; });
  return out;
}

void add_to(Tensor& sum, const Tensor& addend) {
  for (std::size_t i = 0; i < sum.values.size(); ++i) sum.values[i] += addend.values[i];
}

std::map<std::string, PlainLayer>& plain_layers() {
  static std::map<std::string, PlainLayer> all;
  return all;
}

/// Returns null for kinds that were not added.
const PlainLayer* plain_layer(const Layer& layer) {
  const auto found = plain_layers().find(layer->kind());
  return found == plain_layers().end() ? nullptr : &found->second;
}

}  // namespace

void add_plain_layer(const std::string& kind, PlainLayer layer) { plain_layers()[kind] = std::move(layer); }

PlainLayer value_wise(double (*value)(double), double (*derivative)(double)) {
  return {.forward =
              [value](const models::LayerSpec& /*layer*/, const Tensor& in) {
                Tensor out = in;
                for (double& each : out.values) each = value(each);
                return out;
              },
          .backward =
              [derivative](const models::LayerSpec& /*layer*/, const Tensor& in, const Tensor& out_gradient,
                           Tensor& in_gradient) {
                for (std::size_t i = 0; i < in.values.size(); ++i)
                  in_gradient.values[i] += out_gradient.values[i] * derivative(in.values[i]);
              }};
}

std::size_t num_parameters(const Layer& layer, const Tensor& input) {
  const bool flat = as<models::Linear>(layer) != nullptr;
  const SampleShape shape{.channels = input.channels, .height = input.height, .width = input.width, .flat = flat};
  std::size_t count = 0;
  for (const models::LayerTensor& tensor : layer->tensors(shape)) count += tensor.info.size();
  return count;
}

Moments moments(const Tensor& of, std::int64_t channel) {
  const auto count = static_cast<double>(of.samples * of.height * of.width);
  Moments result;
  for_each(of, [&](auto n, auto c, auto y, auto x) {
    if (c == channel) result.mean += of.at(n, c, y, x) / count;
  });
  for_each(of, [&](auto n, auto c, auto y, auto x) {
    if (c == channel) result.variance += std::pow(of.at(n, c, y, x) - result.mean, 2) / count;
  });
  return result;
}

Tensor forward(const Layer& layer, std::span<const Tensor* const> inputs, const double* parameters, bool training) {
  const Tensor& in = *inputs[0];
  if (const PlainLayer* const plain = plain_layer(layer)) return plain->forward(*layer, in);
  if (const auto* const spec = as<models::Convolution>(layer)) return convolution_forward(*spec, in, parameters);
  if (const auto* const spec = as<models::Linear>(layer)) return linear_forward(*spec, in, parameters);
  if (as<models::BatchNorm>(layer) != nullptr) return batch_norm_forward(in, parameters, training);
  if (as<models::GlobalAveragePool>(layer) != nullptr) return global_average(in);
  if (const auto* const spec = as<models::MaxPool>(layer)) return max_pool_forward(spec->window(), in);
  Tensor out = in;
  if (as<models::Add>(layer) != nullptr) {
    add_to(out, *inputs[1]);
  } else if (as<models::Relu>(layer) != nullptr) {
    for (double& value : out.values) value = std::max(value, 0.0);
  } else if (as<models::Flatten>(layer) != nullptr) {
    out.channels = in.channels * in.height * in.width;
    out.height = out.width = 1;
  } else {
    throw std::logic_error("no plain loops for " + layer->kind());
  }
  return out;
}

void backward(const Layer& layer, std::span<const Tensor* const> inputs, const double* parameters,
              const Tensor& output_gradient, std::span<Tensor* const> input_gradients, double* parameter_gradient) {
  const Tensor& in = *inputs[0];
  Tensor& in_gradient = *input_gradients[0];
  if (const PlainLayer* const plain = plain_layer(layer))
    return plain->backward(*layer, in, output_gradient, in_gradient);
  if (const auto* const spec = as<models::Convolution>(layer))
    return convolution_backward(*spec, in, parameters, output_gradient, in_gradient, parameter_gradient);
  if (const auto* const spec = as<models::Linear>(layer))
    return linear_backward(*spec, in, parameters, output_gradient, in_gradient, parameter_gradient);
  if (as<models::BatchNorm>(layer) != nullptr)
    return batch_norm_backward(in, parameters, output_gradient, in_gradient, parameter_gradient);
  if (const auto* const spec = as<models::MaxPool>(layer))
    return pool(spec->window(), in, output_gradient, [&](auto n, auto c, auto y, auto x, auto row, auto column) {
      in_gradient.at(n, c, row, column) += output_gradient.at(n, c, y, x);
    });
  if (as<models::GlobalAveragePool>(layer) != nullptr)
    return for_each(in, [&](auto n, auto c, auto y, auto x) {
      in_gradient.at(n, c, y, x) += output_gradient.at(n, c, 0, 0) / static_cast<double>(in.height * in.width);
    });
  if (as<models::Relu>(layer) != nullptr) return relu_backward(in, output_gradient, in_gradient);
  if (as<models::Add>(layer) != nullptr) add_to(*input_gradients[1], output_gradient);
  add_to(in_gradient, output_gradient);
}

}  // namespace troupe::test
