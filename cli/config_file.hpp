#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace troupe::cli {

/// The command line with the contents of each `--config FILE` put before the options that were typed, so that those
/// win: a JSON object whose keys are the command's long options without dashes.
/// @param app knows which options there are; a key that is none of them is an error.
/// @throws Error bad_file naming the file and the key.
std::vector<std::string> expand_config(const CLI::App& app, const std::vector<std::string>& arguments);

}  // namespace troupe::cli
