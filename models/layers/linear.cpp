#include "troupe/layers/linear.hpp"

#include "models/layers/biased_tensors.hpp"
#include "runtime/invalid.hpp"

namespace troupe::models {

SampleShape Linear::output(std::span<const SampleShape> inputs) const {
  if (!inputs[0].flat)
    throw_invalid("needs flat input, but gets " + inputs[0].text() + "; add a flatten layer before it");
  if (outputs_ < 1) throw_invalid("needs at least one output");
  return {.channels = outputs_, .flat = true};
}

std::vector<LayerTensor> Linear::tensors(const SampleShape& input) const {
  return biased_tensors({outputs_, input.channels});
}

double Linear::flops(const SampleShape& input, const SampleShape& output) const {
  return 2 * static_cast<double>(output.size()) * static_cast<double>(input.size());
}

Layer linear(std::int64_t outputs) { return std::make_shared<Linear>(outputs); }

}  // namespace troupe::models
