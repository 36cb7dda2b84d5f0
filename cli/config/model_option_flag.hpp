#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

namespace troupe::cli {

/// The configuration's key of `--model-option`, as a list of texts or as an object.
inline constexpr const char* kModelOptionKey = "model_option";

/// "hidden=256" as a name and a number. @throws Error invalid_argument that quotes the text
std::pair<std::string, double> parse_model_option(const std::string& text);

/// The same options as an object. @throws Error invalid_argument for a name that is said twice
nlohmann::json model_options_json(const std::vector<std::string>& texts);

/// Texts of such an object in a configuration or a space.
std::vector<std::string> model_option_texts(const nlohmann::json& object);

}  // namespace troupe::cli
