#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace troupe::cli {

/// The command line with the contents of `--config FILE` put before the options that were typed, so that those win: a
/// JSON object whose keys are those of config_keys.hpp, nested or as the command's long options are called.
/// @param app knows which options there are.
/// @throws Error bad_file for a file that is no JSON object, invalid_argument naming the file and a key that is no
/// option, or has a value of the wrong kind.
std::vector<std::string> expand_config(const CLI::App& app, const std::vector<std::string>& arguments);

}  // namespace troupe::cli
