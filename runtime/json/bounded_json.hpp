#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace troupe {

/// How much JSON of others may be.
struct JsonBounds {
  int deepest = 100;                           ///< levels of arrays and objects
  std::size_t memory = std::size_t{64} << 20;  ///< bytes that what was parsed takes, about
  bool keys_may_repeat = false;                ///< then the last counts
};

/// JSON of a text that nobody vouches for, in time that grows as the text does. Returns a discarded value, and in
/// `fault` why, for what is none, goes beyond the bounds, or says a key of an object twice: a sentence without its
/// subject, such as "is nested deeper than 100 levels".
nlohmann::json parse_bounded(std::string_view text, const JsonBounds& bounds, std::string& fault);
/// The same within usual bounds, where nobody asks why.
nlohmann::json parse_bounded(std::string_view text);

/// To be asked of a program's own JSON before it is copied or written, which takes a call for each level.
/// @param what it is. @throws Error invalid_argument where it is nested deeper than JsonBounds::deepest
void check_depth(const nlohmann::json& json, const char* what);

}  // namespace troupe
