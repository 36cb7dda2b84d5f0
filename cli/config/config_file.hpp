#pragma once

#include <CLI/CLI.hpp>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace troupe::cli {

/// Returns the command line with the options of `--config FILE` inserted before the options that were typed, so that
/// the typed ones win. The file contains a JSON object whose keys are those of config_keys.hpp: nested, or named like
/// the command's long options.
/// @param app the program, which knows all options.
/// @throws Error bad_file if the file is not a JSON object; invalid_argument, naming the file and the key, for a key
/// that is not an option or has a value of the wrong type.
std::vector<std::string> expand_config(const CLI::App& app, const std::vector<std::string>& arguments);

/// Converts such an object to a command's arguments. @param origin name of the object in errors
/// @throws Error invalid_argument for a key that is not an option, has a value of the wrong type, or is set by `typed`
std::vector<std::string> words_of(const CLI::App& command, const nlohmann::json& object, const std::string& origin,
                                  const std::vector<std::string>& typed);

}  // namespace troupe::cli
