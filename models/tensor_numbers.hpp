#pragma once

#include <span>
#include <vector>

#include "troupe/model.hpp"

namespace troupe {

/// Returns a vector with the layout of the model's flat vector, in which each float is the number of the tensor to
/// which the float's place belongs. Floats that are padding are 0. During the call, a second vector of about this size
/// exists.
/// @param numbers the number of each tensor in `model.info().tensors`, from 1 to 2^24: a float can represent these
/// numbers exactly
std::vector<float> number_floats(const Model& model, std::span<const std::size_t> numbers);

}  // namespace troupe
