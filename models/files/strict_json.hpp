#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace troupe {

/// The JSON in a file, as `parse_bounded` reads it.
/// @param what the text is called in errors, such as "its header". @param memory JsonBounds::memory
/// @throws Error bad_file
nlohmann::json parse_strictly(const std::string& path, const std::string& what, std::string_view text, int deepest,
                              std::size_t memory = std::size_t{64} << 20);

}  // namespace troupe
