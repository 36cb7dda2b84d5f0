#include "troupe/layers/add.hpp"

#include "runtime/invalid.hpp"

namespace troupe::models {

SampleShape Add::output(std::span<const SampleShape> inputs) const {
  if (inputs[0] != inputs[1])
    throw_invalid("needs two inputs of the same shape, but gets " + inputs[0].text() + " and " + inputs[1].text());
  return inputs[0];
}

Layer add() { return std::make_shared<Add>(); }

}  // namespace troupe::models
