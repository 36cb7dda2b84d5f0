#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace troupe::cli {

/// Sets the format of the help texts for a program, and for the commands that are added after this call. Help texts are
/// 80 columns wide. Options are printed in groups, beginning with the most used groups. For a command with more than 24
/// options, `--help` prints only the most used options, and `--help-all` prints all options.
void set_help(CLI::App& app);

}  // namespace troupe::cli
