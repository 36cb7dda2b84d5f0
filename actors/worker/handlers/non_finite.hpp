#pragma once

#include <span>
#include <vector>

#include "actors/messages/synchronous.hpp"
#include "troupe/model.hpp"

namespace troupe {

/// Searches a worker's slice of the state's vectors for non-finite values. Returns the first tensor, in canonical
/// order, that has a non-finite value. If a tensor has several, values of weights and statistics come before those of
/// the optimizer's state. The function needs memory for two flat vectors.
/// @param begin the position of the slice's first float in the flat vector
/// @param vectors the slice of each vector of the state: of the weights, and then of the optimizer's vectors
NonFinite first_non_finite(const Model& model, std::size_t begin, const std::vector<std::span<const float>>& vectors);

}  // namespace troupe
