#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace troupe {

/// Parses the JSON of a file with `parse_bounded`.
/// @param what the name of the text in errors, such as "the header"
/// @param memory see JsonBounds::memory
/// @throws Error bad_file
nlohmann::json parse_strictly(const std::string& path, const std::string& what, std::string_view text, int deepest,
                              std::size_t memory = std::size_t{64} << 20);

}  // namespace troupe
