#include "troupe/layers/dropout.hpp"

#include "runtime/invalid.hpp"

namespace troupe::models {

SampleShape Dropout::output(std::span<const SampleShape> inputs) const {
  if (!(probability_ >= 0 && static_cast<float>(probability_) < 1))
    throw_invalid("has the probability " + std::to_string(probability_) + ", which is not in [0, 1)");
  return inputs[0];
}

Layer dropout(double probability) { return std::make_shared<Dropout>(probability); }

}  // namespace troupe::models
