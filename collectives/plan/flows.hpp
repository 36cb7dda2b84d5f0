#pragma once

#include "collectives/plan/plan.hpp"

namespace troupe {

/// Adds the flows of sums and of weights to `plan`. The strategy, topology and slices of `plan` must be set. Adds
/// nothing if there is only one node.
void add_flows(Plan& plan);

/// Returns the number of floats in one segment of a slice with `slice_floats` floats. A segment contains several chunks
/// (of kTreeChunk floats). A large slice has several segments, so that a node can add one segment while another segment
/// is being sent.
std::size_t segment_floats(std::size_t slice_floats);

}  // namespace troupe
