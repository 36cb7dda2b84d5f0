#pragma once

#include <string>

#include "models/optimizers/settings.hpp"

namespace troupe {

/// Returns the optimizer's settings as a JSON text, which is sent to workers. `optimizer_from_json` restores every
/// number bitwise identically.
std::string to_json(const OptimizerSettings& options);
/// Returns the optimizer's settings that `text` contains.
/// @throws Error protocol if `text` cannot be a result of `to_json`
OptimizerSettings optimizer_from_json(const std::string& text);

/// Returns the optimizer's name in `text`, which `to_json` has written, possibly in another version of Troupe. Returns
/// an empty string if the text contains no name.
std::string optimizer_kind(const std::string& text);

}  // namespace troupe
