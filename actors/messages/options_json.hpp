#pragma once

#include <string>

#include "models/optimizers/settings.hpp"

namespace troupe {

/// Optimizer options as JSON text, as they travel to workers; every number keeps its bits.
std::string to_json(const OptimizerSettings& options);
/// @throws Error protocol when the text is none of `to_json`'s.
OptimizerSettings optimizer_from_json(const std::string& text);

/// The optimizer's name in such a text, as another version of Troupe may have written it; empty where it says none.
std::string optimizer_kind(const std::string& text);

}  // namespace troupe
