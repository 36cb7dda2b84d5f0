#pragma once

#include "collectives/plan/plan.hpp"

namespace troupe {

/// Adds the flows of partial sums and weights to a plan. The plan's slices and topology must be set.
void add_flows(Plan& plan);

/// Returns the number of floats per segment for a slice of this size. All data about the slice travels in segments. A
/// segment holds several chunks of the tree, and is small enough that the parts of a slice can travel concurrently.
std::size_t segment_floats(std::size_t slice_floats);

}  // namespace troupe
