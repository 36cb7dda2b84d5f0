#pragma once

#include <span>
#include <vector>

#include "troupe/model.hpp"

namespace troupe {

/// Returns a flat vector that holds for each float the number of its tensor, and 0 for padding. Allocates two flat
/// vectors.
/// @param numbers a number from 1 to 2^24 per tensor of `model.info().tensors`
std::vector<float> number_floats(const Model& model, std::span<const std::size_t> numbers);

}  // namespace troupe
