#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "troupe/optimizer.hpp"

namespace troupe::cli {

/// Of `--group`: "PATTERN:KEY=NUMBER,...", with the keys weight_decay and learning_rate_factor. A pattern may hold
/// colons. @throws Error invalid_argument saying what is wrong with the text.
ParameterGroup parse_group(const std::string& text);

/// Such a text as a configuration has it, an object of "pattern" and these keys, and back again.
nlohmann::ordered_json group_json(const std::string& text);
std::string group_text(const nlohmann::json& group);

}  // namespace troupe::cli
