#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "troupe/optimizer.hpp"

namespace troupe::cli {

/// Parses the value of `--group`: "PATTERN:KEY=NUMBER,...", where KEY is weight_decay or learning_rate_factor. The last
/// colon ends the pattern, which may itself contain colons. @throws Error invalid_argument that describes the fault
ParameterGroup parse_group(const std::string& text);

/// Convert a value of `--group` to the object that a configuration has for it, and back. The object's keys are
/// "pattern", "weight_decay" and "learning_rate_factor". @throws Error invalid_argument for an invalid value
nlohmann::ordered_json group_json(const std::string& text);
std::string group_text(const nlohmann::json& group);

}  // namespace troupe::cli
