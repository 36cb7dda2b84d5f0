#include "troupe/layers/convolution.hpp"

#include <cmath>
#include <utility>

#include "models/layers/biased_tensors.hpp"
#include "runtime/invalid.hpp"

namespace troupe::models {

std::string Convolution::label() const {
  const std::string kernel = std::to_string(window_.kernel);
  return kind() + ' ' + kernel + 'x' + kernel;
}

std::map<std::string, double> Convolution::numbers() const {
  std::map<std::string, double> numbers = window_.numbers();
  numbers["outputs"] = static_cast<double>(outputs_);
  numbers["bias"] = bias_ ? 1 : 0;
  return numbers;
}

SampleShape Convolution::output(std::span<const SampleShape> inputs) const {
  const SampleShape output = window_.slide(inputs[0], outputs_);
  if (outputs_ < 1) throw_invalid("needs at least one output channel");
  return output;
}

std::vector<LayerTensor> Convolution::tensors(const SampleShape& input) const {
  std::vector<std::int64_t> shape{outputs_, input.channels, window_.kernel, window_.kernel};
  if (bias_) return biased_tensors(std::move(shape));
  const auto fan_out = static_cast<double>(outputs_ * window_.kernel * window_.kernel);
  return {{{"weight", std::move(shape)}, LayerTensor::Start::normal, std::sqrt(2 / fan_out)}};
}

double Convolution::flops(const SampleShape& input, const SampleShape& output) const {
  return 2 * static_cast<double>(output.size()) * static_cast<double>(input.channels * window_.kernel * window_.kernel);
}

Layer conv2d(std::int64_t outputs, const ConvolutionOptions& options) {
  const Window window{.kernel = options.kernel, .stride = options.stride, .padding = options.padding};
  return std::make_shared<Convolution>(outputs, window, options.bias);
}

}  // namespace troupe::models
