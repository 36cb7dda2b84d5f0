#pragma once

#include <string>

#include "troupe/model.hpp"

namespace troupe {

/// Returns the function that creates models of the kind that is registered under `name`. The reference stays valid
/// until the process ends.
/// @throws Error invalid_argument if no model has this name; the message lists the known names.
const CreateModel& find_model(const std::string& name);

}  // namespace troupe
