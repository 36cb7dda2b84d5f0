#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace troupe {

/// Limits for JSON from outside the program.
struct JsonBounds {
  int deepest = 100;                           ///< levels of arrays and objects
  std::size_t memory = std::size_t{64} << 20;  ///< approximate bytes that the parsed value takes
  bool keys_may_repeat = false;                ///< true: the last value of a repeated key counts
};

/// Parses untrusted JSON in time proportional to the length of the text. Returns a discarded value if the text is not
/// JSON, exceeds the bounds or repeats a key of an object. Then `fault` contains the reason, as a sentence without a
/// subject, such as "is nested deeper than 100 levels".
nlohmann::json parse_bounded(std::string_view text, const JsonBounds& bounds, std::string& fault);
/// The same with the default bounds, without a reason.
nlohmann::json parse_bounded(std::string_view text);

/// Checks a program's own JSON before it is copied or written, which needs one level of recursion per level of nesting.
/// @param what name of the value in errors. @throws Error invalid_argument if nested deeper than JsonBounds::deepest
void check_depth(const nlohmann::json& json, const char* what);

}  // namespace troupe
