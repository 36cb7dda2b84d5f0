#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "troupe/optimizer.hpp"

namespace troupe::cli {

/// Parses the value of `--group`: "PATTERN:KEY=NUMBER,...", where KEY is weight_decay or learning_rate_factor. The
/// pattern may contain colons, because it ends at the last colon of the text.
/// @throws Error invalid_argument if the text does not have this form
ParameterGroup parse_group(const std::string& text);

/// Convert a value of `--group` to the corresponding JSON object in a configuration (`group_json`), and such an object
/// to the value (`group_text`). The object has the keys "pattern", "weight_decay" and "learning_rate_factor".
/// @throws Error invalid_argument for an invalid value or object
nlohmann::ordered_json group_json(const std::string& text);
std::string group_text(const nlohmann::json& group);

}  // namespace troupe::cli
