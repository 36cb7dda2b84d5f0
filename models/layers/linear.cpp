#include "troupe/layers/linear.hpp"

#include "models/layers/biased_tensors.hpp"
#include "runtime/invalid.hpp"

namespace troupe::models {

std::map<std::string, double> Linear::numbers() const {
  std::map<std::string, double> numbers{{"outputs", static_cast<double>(outputs_)}};
  if (!options_.bias) numbers["bias"] = 0;
  if (options_.deviation != 0) numbers["deviation"] = options_.deviation;
  return numbers;
}

SampleShape Linear::output(std::span<const SampleShape> inputs) const {
  const SampleShape& input = inputs[0];
  if (!input.flat && !input.sequence)
    throw_invalid("needs flat input, but gets " + input.text() + "; add a flatten layer before it");
  if (outputs_ < 1) throw_invalid("needs at least one output");
  if (!(options_.deviation >= 0)) throw_invalid("has a negative standard deviation");
  if (!options_.tied.empty() && options_.bias) throw_invalid("is tied to another layer, so it cannot have a bias");
  if (input.sequence) return {.channels = outputs_, .height = input.height, .sequence = true};
  if (!options_.bias || options_.deviation != 0) throw_invalid("has options that need a sequence as input");
  return {.channels = outputs_, .flat = true};
}

void Linear::check_tied(const TensorInfo& tensor, const SampleShape& input) const {
  const std::vector<std::int64_t> needed{outputs_, input.channels};
  if (tensor.shape == needed) return;
  std::string shape;
  for (const std::int64_t length : tensor.shape) shape += (shape.empty() ? "" : " x ") + std::to_string(length);
  throw_invalid("needs a weight of " + std::to_string(outputs_) + " x " + std::to_string(input.channels) + ", but " +
                tensor.name + " has " + shape);
}

std::vector<LayerTensor> Linear::tensors(const SampleShape& input) const {
  if (!options_.tied.empty()) return {};
  std::vector<LayerTensor> tensors = biased_tensors({outputs_, input.channels});
  if (options_.deviation > 0) {
    tensors[0].start = LayerTensor::Start::normal;
    tensors[0].scale = options_.deviation;
    tensors[1].start = LayerTensor::Start::constant;
    tensors[1].scale = 0;
  }
  if (!options_.bias) tensors.pop_back();
  return tensors;
}

double Linear::flops(const SampleShape& input, const SampleShape& output) const {
  const auto rows = static_cast<double>(output.sequence ? output.height : 1);
  return 2 * static_cast<double>(output.size()) * static_cast<double>(input.size()) / rows;
}

Layer linear(std::int64_t outputs, const LinearOptions& options) { return std::make_shared<Linear>(outputs, options); }

}  // namespace troupe::models
