#pragma once

#include <span>
#include <vector>

#include "actors/messages/synchronous.hpp"
#include "troupe/model.hpp"

namespace troupe {

/// Finds the first tensor in canonical order with a value that is not finite, in a worker's slice of the flat vectors.
/// Weights and statistics come before the optimizer's state. Needs memory for two flat vectors.
/// @param begin the first float of the slice
NonFinite first_non_finite(const Model& model, std::size_t begin, const std::vector<std::span<const float>>& vectors);

}  // namespace troupe
