#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace troupe {

// Arguments and results of users' functions are sent as JSON text. A null value is sent as an empty text.

/// Returns the text with which `json` is sent; empty if `json` is null.
/// @param what the description of `json` in error messages, such as "the function's result"
/// @throws Error invalid_argument if `json` contains text that is not UTF-8, is nested too deeply, or needs too much
/// memory to parse
std::string call_text(const nlohmann::json& json, const char* what);
/// Returns the JSON value that `text` contains, a text that `call_text` has returned.
/// @throws Error protocol if `text` cannot be a result of `call_text`
nlohmann::json call_json(const std::string& text);

}  // namespace troupe
