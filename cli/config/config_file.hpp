#pragma once

#include <CLI/CLI.hpp>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace troupe::cli {

/// Returns the command line with the options of `--config FILE` inserted before the options that were typed, because
/// the last value of an option wins. The file contains a JSON object whose keys are described in config_keys.hpp:
/// nested, or named like the command's long options. Returns `arguments` unchanged if they contain no `--config`.
/// @param app the program, which knows the options of all commands
/// @throws Error bad_file if the file is not a JSON object; invalid_argument that names the file and the key, for a key
/// that is not an option or has a value of the wrong type
std::vector<std::string> expand_config(const CLI::App& app, const std::vector<std::string>& arguments);

/// Returns the options in a JSON object as command-line arguments for `command`.
/// @param object an object with the same keys as a configuration file
/// @param origin name of the object in error messages
/// @param typed the arguments that were typed; an option may not be in both
/// @throws Error invalid_argument for a key that is not an option, has a value of the wrong type, or is set or excluded
/// by `typed`
std::vector<std::string> words_of(const CLI::App& command, const nlohmann::json& object, const std::string& origin,
                                  const std::vector<std::string>& typed);

}  // namespace troupe::cli
