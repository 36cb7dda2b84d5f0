#pragma once

#include "collectives/plan/plan.hpp"

namespace troupe {

/// Adds the flows of partial sums and weights to a plan. The plan's slices and topology must be set.
void add_flows(Plan& plan);

/// Returns the number of floats in one segment of a slice with `slice_floats` floats. A segment contains several chunks
/// (`kTreeChunk`). It is small enough that a slice has several segments, so that one segment can be added while another
/// is being sent.
std::size_t segment_floats(std::size_t slice_floats);

}  // namespace troupe
