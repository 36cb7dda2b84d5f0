#pragma once

#include <span>
#include <vector>

#include "actors/messages/synchronous.hpp"
#include "troupe/model.hpp"

namespace troupe {

/// Looks through a worker's slice of the flat vectors, weights and statistics first and then the optimizer's state, for
/// the first tensor in canonical order that is not finite everywhere. Takes memory for two flat vectors.
/// @param begin of the slice
NonFinite first_non_finite(const Model& model, std::size_t begin, const std::vector<std::span<const float>>& vectors);

}  // namespace troupe
