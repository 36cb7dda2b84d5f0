#pragma once

#include <string>

#include "models/optimizers/settings.hpp"

namespace troupe {

/// Creates the rule of one group of tensors. The ranges of all settings have been checked before.
using MakeRule = std::function<UpdateRule(const OptimizerSettings& settings)>;

/// Returns the function that creates the update rule of that name, built in or registered. The reference stays valid.
/// @throws Error invalid_argument that lists the known names.
const MakeRule& find_optimizer(const std::string& name);

}  // namespace troupe
