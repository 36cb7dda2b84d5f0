#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

namespace troupe::cli {

/// The key of `--model-option` in a configuration. Its value is a list of texts such as "hidden=256", or an object.
inline constexpr const char* kModelOptionKey = "model_option";

/// Parses "hidden=256" into a name and a number. @throws Error invalid_argument that quotes the text
std::pair<std::string, double> parse_model_option(const std::string& text);

/// Returns the options in texts such as "hidden=256" as a JSON object. @throws Error invalid_argument for a name that
/// is given twice
nlohmann::json model_options_json(const std::vector<std::string>& texts);

/// Converts such an object, from a configuration or a search space, to texts.
std::vector<std::string> model_option_texts(const nlohmann::json& object);

}  // namespace troupe::cli
