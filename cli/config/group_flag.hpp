#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "troupe/optimizer.hpp"

namespace troupe::cli {

/// Parses the value of `--group`: "PATTERN:KEY=NUMBER,...", with the keys weight_decay and learning_rate_factor. A
/// pattern may contain colons. @throws Error invalid_argument that describes the fault.
ParameterGroup parse_group(const std::string& text);

/// Converts such a text to an object of a configuration, with "pattern" and these keys, and back.
nlohmann::ordered_json group_json(const std::string& text);
std::string group_text(const nlohmann::json& group);

}  // namespace troupe::cli
