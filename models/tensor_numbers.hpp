#pragma once

#include <span>
#include <vector>

#include "troupe/model.hpp"

namespace troupe {

/// A flat vector that says of each float which number its tensor has; 0 for padding. Takes memory for two flat vectors.
/// @param numbers by tensor of `model.info().tensors`, 1 to 2^24
std::vector<float> number_floats(const Model& model, std::span<const std::size_t> numbers);

}  // namespace troupe
