#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "troupe/data.hpp"

namespace troupe {

/// Returns the encoding of a table or a text as a JSON object; {} for an empty encoding.
nlohmann::ordered_json to_json(const InputEncoding& encoding);
/// Returns the encoding in an object that `to_json` wrote.
/// @param path the name of the file, for error messages
/// @throws Error bad_file for an object that `to_json` does not write.
InputEncoding encoding_from_json(const std::string& path, const nlohmann::json& object);

}  // namespace troupe
