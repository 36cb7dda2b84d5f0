#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace troupe {

// What calls beside replicas take and return travels as text; null as none.

/// @param what it is. @throws Error invalid_argument for text that is no UTF-8, or what is nested too deep
std::string call_text(const nlohmann::json& json, const char* what);
/// @throws Error protocol for what `call_text` does not write
nlohmann::json call_json(const std::string& text);

}  // namespace troupe
