#pragma once

#include <CLI/CLI.hpp>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace troupe::cli {

/// Replaces `--config FILE` in a command line with the options from FILE, and returns the new command line. The options
/// from FILE are inserted before the typed options: the last value of an option wins, so a typed option overrides FILE.
/// FILE contains a JSON object, whose keys are the names of the command's long options, or nested keys (see
/// config_keys.hpp). If `arguments` contain no `--config`, returns them unchanged.
/// @param app the program's parser, to which all commands and their options have been added
/// @throws Error bad_file if FILE is not a JSON object; invalid_argument if a key is not the name of an option, or its
/// value has the wrong type (the message contains FILE and the key)
std::vector<std::string> expand_config(const CLI::App& app, const std::vector<std::string>& arguments);

/// Converts the options in a JSON object to command-line arguments for `command`, and returns the arguments.
/// @param object an object with the keys of a configuration file
/// @param origin the name of `object` in error messages
/// @param typed the arguments that the user typed; an option may not be in both `object` and `typed`
/// @throws Error invalid_argument if a key is not the name of an option, or has a value of the wrong type. Also if
/// `typed` sets or excludes the option.
std::vector<std::string> words_of(const CLI::App& command, const nlohmann::json& object, const std::string& origin,
                                  const std::vector<std::string>& typed);

}  // namespace troupe::cli
