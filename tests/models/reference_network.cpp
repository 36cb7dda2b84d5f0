#include "reference_network.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace troupe::test {

namespace {

struct Image {
  std::int64_t channels, height, width;
  std::vector<double> values;

  double& at(std::int64_t c, std::int64_t y, std::int64_t x) {
    return values[static_cast<std::size_t>((c * height + y) * width + x)];
  }
  double padded(std::int64_t c, std::int64_t y, std::int64_t x) {
    return y < 0 || x < 0 || y >= height || x >= width ? 0 : at(c, y, x);
  }
};

Image make_image(std::int64_t channels, std::int64_t height, std::int64_t width) {
  return {channels, height, width, std::vector<double>(static_cast<std::size_t>(channels * height * width))};
}

Image convolve(Image& in, const models::Layer& layer, const double*& next) {
  const auto extent = [&](std::int64_t size) { return (size + 2 * layer.padding - layer.kernel) / layer.stride + 1; };
  Image out = make_image(layer.outputs, extent(in.height), extent(in.width));
  const std::int64_t row = in.channels * layer.kernel * layer.kernel;
  const double* const biases = next + layer.outputs * row;
  for (std::int64_t o = 0; o < out.channels; ++o)
    for (std::int64_t y = 0; y < out.height; ++y)
      for (std::int64_t x = 0; x < out.width; ++x) {
        double sum = biases[o];
        const double* weight = next + o * row;
        for (std::int64_t c = 0; c < in.channels; ++c)
          for (std::int64_t i = 0; i < layer.kernel; ++i)
            for (std::int64_t j = 0; j < layer.kernel; ++j)
              sum +=
                  *weight++ * in.padded(c, y * layer.stride - layer.padding + i, x * layer.stride - layer.padding + j);
        out.at(o, y, x) = sum;
      }
  next = biases + layer.outputs;
  return out;
}

Image multiply(const Image& in, const models::Layer& layer, const double*& next) {
  Image out = make_image(layer.outputs, 1, 1);
  const double* const biases = next + layer.outputs * in.channels;
  for (std::int64_t o = 0; o < layer.outputs; ++o) {
    out.at(o, 0, 0) = biases[o];
    for (const double value : in.values) out.at(o, 0, 0) += value * *next++;
  }
  next = biases + layer.outputs;
  return out;
}

Image pool(Image& in, std::int64_t kernel) {
  Image out = make_image(in.channels, in.height / kernel, in.width / kernel);
  std::fill(out.values.begin(), out.values.end(), -std::numeric_limits<double>::infinity());
  for (std::int64_t c = 0; c < out.channels; ++c)
    for (std::int64_t y = 0; y < out.height * kernel; ++y)
      for (std::int64_t x = 0; x < out.width * kernel; ++x)
        out.at(c, y / kernel, x / kernel) = std::max(out.at(c, y / kernel, x / kernel), in.at(c, y, x));
  return out;
}

Image apply(Image image, const models::Layer& layer, const double*& next) {
  using Kind = models::Layer::Kind;
  switch (layer.kind) {
    case Kind::convolution:
      return convolve(image, layer, next);
    case Kind::linear:
      return multiply(image, layer, next);
    case Kind::max_pool:
      return pool(image, layer.kernel);
    case Kind::flatten:
      return {static_cast<std::int64_t>(image.values.size()), 1, 1, image.values};
    case Kind::relu:
      break;
  }
  for (double& value : image.values) value = std::max(value, 0.0);
  return image;
}

}  // namespace

ReferenceNetwork::ReferenceNetwork(std::vector<models::Layer> layers, std::vector<std::int64_t> sample_shape)
    : layers_(std::move(layers)) {
  sample_shape.resize(3, 1);
  input_ = {.channels = sample_shape[0], .height = sample_shape[1], .width = sample_shape[2]};
}

std::vector<double> ReferenceNetwork::scores(std::span<const float> sample, std::span<const double> parameters) const {
  Image image{input_.channels, input_.height, input_.width, {sample.begin(), sample.end()}};
  const double* next = parameters.data();
  for (const models::Layer& layer : layers_) image = apply(std::move(image), layer, next);
  return image.values;
}

double ReferenceNetwork::loss(std::span<const float> values, std::span<const std::int32_t> labels,
                              std::span<const double> parameters) const {
  const auto size = static_cast<std::size_t>(input_.size());
  double sum = 0;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const std::vector<double> row = scores(values.subspan(i * size, size), parameters);
    double total = 0;
    for (const double score : row) total += std::exp(score);
    sum += std::log(total) - row[static_cast<std::size_t>(labels[i])];
  }
  return sum;
}

double ReferenceNetwork::derivative(std::span<const float> values, std::span<const std::int32_t> labels,
                                    std::span<const float> parameters, std::size_t index) const {
  constexpr double kStep = 1e-6;
  std::vector<double> moved(parameters.begin(), parameters.end());
  moved[index] += kStep;
  const double above = loss(values, labels, moved);
  moved[index] -= 2 * kStep;
  return (above - loss(values, labels, moved)) / (2 * kStep);
}

}  // namespace troupe::test
