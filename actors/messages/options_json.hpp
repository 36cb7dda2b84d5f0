#pragma once

#include <string>

#include "models/optimizers/settings.hpp"

namespace troupe {

/// Returns optimizer options as JSON text for workers. Every number reads back bitwise identical.
std::string to_json(const OptimizerSettings& options);
/// Returns the options that `text` contains.
/// @throws Error protocol if `text` was not made by `to_json`
OptimizerSettings optimizer_from_json(const std::string& text);

/// Returns the optimizer's name in a text of `to_json`, which another version of Troupe may have written. Returns an
/// empty string if the text has no name.
std::string optimizer_kind(const std::string& text);

}  // namespace troupe
