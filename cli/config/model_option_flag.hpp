#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

namespace troupe::cli {

/// The key of the option `--model-option` in a configuration file. Its value is a list of texts such as "hidden=256",
/// or an object such as {"hidden": 256}.
inline constexpr const char* kModelOptionKey = "model_option";

/// Parses a text such as "hidden=256", and returns the name and the number.
/// @throws Error invalid_argument if the text does not have this form; the message contains the text
std::pair<std::string, double> parse_model_option(const std::string& text);

/// Converts texts such as "hidden=256" to one JSON object, such as {"hidden": 256}. @throws Error invalid_argument if
/// two texts have the same name
nlohmann::json model_options_json(const std::vector<std::string>& texts);

/// Converts the value of `model_option` in a configuration or search space, an object such as {"hidden": 256}, to texts
/// such as "hidden=256".
std::vector<std::string> model_option_texts(const nlohmann::json& object);

}  // namespace troupe::cli
