#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace troupe {

/// The JSON in a file. Refuses what a parsed value no longer shows: keys that come twice, and values more than
/// `deepest` levels down.
/// @param what the text is called in errors, such as "its header". @throws Error bad_file
nlohmann::json parse_strictly(const std::string& path, const std::string& what, std::string_view text, int deepest);

}  // namespace troupe
