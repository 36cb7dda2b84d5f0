#pragma once

#include "collectives/plan/plan.hpp"

namespace troupe {

/// Fills in the plan's flows: who sends which sums and weights to whom. Its slices and topology are made already.
void add_flows(Plan& plan);

/// Floats of the segments in which everything about a slice of so many floats travels: several chunks of the tree, and
/// few enough for a slice to be on its way in parts.
std::size_t segment_floats(std::size_t slice_floats);

}  // namespace troupe
