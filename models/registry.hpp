#pragma once

#include <string>

#include "troupe/model.hpp"

namespace troupe {

/// Returns the creator registered under `name`. The reference stays valid.
/// @throws Error invalid_argument that lists the known names.
const CreateModel& find_model(const std::string& name);

}  // namespace troupe
