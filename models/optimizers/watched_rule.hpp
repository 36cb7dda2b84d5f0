#pragma once

#include <string>

#include "models/optimizers/registry.hpp"

namespace troupe {

/// A rule of somebody else's, whose mistakes are named: what it throws carries its name, a function that it does not
/// give is an error, and what it wrote is looked at again, since nothing that is not finite is ever committed.
MakeRule watched(const std::string& name, MakeUpdateRule make);

}  // namespace troupe
