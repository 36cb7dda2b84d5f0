#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "troupe/batches.hpp"
#include "troupe/models.hpp"

namespace troupe::test {

/// Returns the sum of the cross-entropies of a network of sequence layers, computed in plain loops of doubles. Labels
/// of kIgnoredLabel do not count.
/// @param parameters in canonical order
/// @param positions number of positions of a sample
double sequence_loss(const models::Graph& graph, const Batch& batch, std::int64_t positions,
                     std::span<const double> parameters);

}  // namespace troupe::test
