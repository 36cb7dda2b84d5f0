#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace troupe {

/// Limits for JSON from outside the program.
struct JsonBounds {
  int deepest = 100;                           ///< maximum number of levels of nested arrays and objects
  std::size_t memory = std::size_t{64} << 20;  ///< maximum bytes that the parsed value takes, estimated
  bool keys_may_repeat = false;                ///< true: an object may repeat a key, and has its last value
};

/// Parses untrusted JSON, in time proportional to the length of the text. If the text is not JSON, exceeds the bounds
/// or repeats a key of an object, returns a discarded value (`is_discarded`) and sets `fault`. `fault` is the reason
/// without a subject, such as "is nested deeper than 100 levels"; it is empty on success.
nlohmann::json parse_bounded(std::string_view text, const JsonBounds& bounds, std::string& fault);
/// Parses with the default bounds, and returns no reason.
nlohmann::json parse_bounded(std::string_view text);

/// Checks that JSON which a program made is not nested too deep, before the JSON is copied or written. These operations
/// call themselves once per level, so deep nesting would overflow the stack.
/// @param what name of the value in the error message
/// @throws Error invalid_argument if the value is nested deeper than JsonBounds::deepest
void check_depth(const nlohmann::json& json, const char* what);

}  // namespace troupe
