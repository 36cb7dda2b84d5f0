#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "troupe/data.hpp"

namespace troupe {

/// Returns `encoding`, which describes how rows of a table or symbols of a text become samples, as a JSON object.
/// Returns an empty object for an empty encoding.
nlohmann::ordered_json to_json(const InputEncoding& encoding);
/// Returns the encoding that a JSON object describes; the reverse of `to_json`.
/// @param path the name of the file, for error messages
/// @throws Error bad_file if `object` is not an object that `to_json` can return.
InputEncoding encoding_from_json(const std::string& path, const nlohmann::json& object);

}  // namespace troupe
