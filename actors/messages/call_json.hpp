#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace troupe {

// Arguments and results of function calls travel as JSON text. A null value travels as an empty text.

/// Returns the JSON text for `json`.
/// @param what a name for `json` in error messages, such as "the function's result"
/// @throws Error invalid_argument for text that is not UTF-8, or for values nested too deeply
std::string call_text(const nlohmann::json& json, const char* what);
/// Returns the value that `text` contains.
/// @throws Error protocol if `text` is not a result of `call_text`
nlohmann::json call_json(const std::string& text);

}  // namespace troupe
