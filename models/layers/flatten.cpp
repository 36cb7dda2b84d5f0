#include "troupe/layers/flatten.hpp"

#include "runtime/invalid.hpp"

namespace troupe::models {

SampleShape Flatten::output(std::span<const SampleShape> inputs) const {
  if (inputs[0].sequence) throw_invalid("cannot flatten a sequence of " + inputs[0].text());
  return {.channels = inputs[0].size(), .flat = true};
}

Layer flatten() { return std::make_shared<Flatten>(); }

}  // namespace troupe::models
