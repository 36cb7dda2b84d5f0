#pragma once

#include <span>
#include <vector>

#include "actors/messages/synchronous.hpp"
#include "troupe/model.hpp"

namespace troupe {

/// Returns the first tensor in canonical order with a value that is not finite, in a worker's slice of the flat
/// vectors. Of one tensor, weights and statistics come before the optimizer's state. Needs memory for two flat vectors.
/// @param begin the position of the slice's first float in the flat vector
/// @param vectors the slice of each vector: of the weights, then of the optimizer's vectors
NonFinite first_non_finite(const Model& model, std::size_t begin, const std::vector<std::span<const float>>& vectors);

}  // namespace troupe
