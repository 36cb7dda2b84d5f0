#pragma once

#include <span>
#include <vector>

#include "troupe/model.hpp"

namespace troupe {

/// Returns a flat vector in which each float is the number of the tensor that the float belongs to. Floats that are
/// padding are 0. Allocates memory for two vectors of this size.
/// @param numbers the number of each tensor of `model.info().tensors`, from 1 to 2^24, so that a float can represent it
/// exactly
std::vector<float> number_floats(const Model& model, std::span<const std::size_t> numbers);

}  // namespace troupe
