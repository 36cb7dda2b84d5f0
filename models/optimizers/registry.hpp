#pragma once

#include <string>

#include "models/optimizers/settings.hpp"

namespace troupe {

/// A function that creates the update rule for one group of tensors. The ranges of the settings have already been
/// checked.
using MakeRule = std::function<UpdateRule(const OptimizerSettings& settings)>;

/// Returns the function that creates the update rule with this name, built in or registered. The reference is valid
/// until the process ends.
/// @throws Error invalid_argument if the name is unknown; the message lists the known names.
const MakeRule& find_optimizer(const std::string& name);

}  // namespace troupe
