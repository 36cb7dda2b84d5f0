#pragma once

#include <string>

#include "models/optimizers/settings.hpp"

namespace troupe {

/// Makes the rule of one group of tensors. The ranges of all settings are checked by then.
using MakeRule = std::function<UpdateRule(const OptimizerSettings& settings)>;

/// What makes the update rule of that name, built in or registered; it stays valid.
/// @throws Error invalid_argument that lists the known names.
const MakeRule& find_optimizer(const std::string& name);

}  // namespace troupe
