#pragma once

#include <string>

#include "troupe/optimizer.hpp"

namespace troupe {

/// What makes the update rule of that name, built in or registered; it stays valid.
/// @throws Error invalid_argument that lists the known names.
const MakeUpdateRule& find_optimizer(const std::string& name);

}  // namespace troupe
