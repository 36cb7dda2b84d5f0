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
  bool keys_may_repeat = false;                ///< true: an object may repeat a key, and the last value counts
};

/// Parses untrusted JSON, in time proportional to the length of the text. If the text is not JSON, exceeds the bounds
/// or repeats a key of an object, returns a discarded value, for which `is_discarded()` is true.
/// @param fault set to the reason of a failure, such as "is nested deeper than 100 levels"; empty on success
nlohmann::json parse_bounded(std::string_view text, const JsonBounds& bounds, std::string& fault);
/// Parses untrusted JSON with the default JsonBounds. If that fails, returns a discarded value, for which
/// `is_discarded()` is true. The other `parse_bounded` also returns the reason.
nlohmann::json parse_bounded(std::string_view text);

/// Checks that a JSON value, made by a program, is not nested too deep. Call this before the value is copied or
/// written, because these operations are recursive, so a deeply nested value would overflow the stack.
/// @param what name of the value in the error message
/// @throws Error invalid_argument if the value is nested deeper than JsonBounds::deepest
void check_depth(const nlohmann::json& json, const char* what);

}  // namespace troupe
