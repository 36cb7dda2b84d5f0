#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace troupe::cli {

/// Makes a program, and the commands that are added after this call, print their options in groups, most used first, in
/// 80 columns. For a command with many options, `--help` prints the most used ones, on one screen, and `--help-all`
/// prints all.
void set_help(CLI::App& app);

}  // namespace troupe::cli
