#pragma once

#include <CLI/CLI.hpp>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace troupe::cli {

/// The command line with the contents of `--config FILE` put before the options that were typed, so that those win: a
/// JSON object whose keys are those of config_keys.hpp, nested or as the command's long options are called.
/// @param app knows which options there are.
/// @throws Error bad_file for a file that is no JSON object, invalid_argument naming the file and a key that is no
/// option, or has a value of the wrong kind.
std::vector<std::string> expand_config(const CLI::App& app, const std::vector<std::string>& arguments);

/// What such an object says to a command, as it is typed. @param origin what errors name
/// @throws Error invalid_argument for a key that is no option, has a value of the wrong kind, or is said by `typed`
std::vector<std::string> words_of(const CLI::App& command, const nlohmann::json& object, const std::string& origin,
                                  const std::vector<std::string>& typed);

}  // namespace troupe::cli
