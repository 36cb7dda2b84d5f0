#pragma once

#include <span>
#include <string>
#include <vector>

#include "models/network/network_plan.hpp"

namespace troupe {

/// What the layer makes of its inputs, as many as it takes. `who` names it in errors.
/// @throws Error invalid_argument when the inputs or the layer's own numbers do not fit.
SampleShape output_shape(const std::string& who, const models::Layer& layer, std::span<const SampleShape> inputs);

/// The tensors of such a layer, NAME.weight first; none for layers without.
std::vector<PlannedTensor> layer_tensors(const std::string& name, const models::Layer& layer, const SampleShape& input);

}  // namespace troupe
