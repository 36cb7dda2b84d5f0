#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace troupe {

/// Parses a JSON text from a file with `parse_bounded`, and returns the result.
/// @param path the name of the file, for error messages
/// @param what the noun for the JSON in error messages, such as "the header"
/// @param deepest see JsonBounds::deepest
/// @param memory see JsonBounds::memory
/// @throws Error bad_file if `parse_bounded` rejects the text
nlohmann::json parse_strictly(const std::string& path, const std::string& what, std::string_view text, int deepest,
                              std::size_t memory = std::size_t{64} << 20);

}  // namespace troupe
