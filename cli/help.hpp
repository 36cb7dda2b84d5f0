#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace troupe::cli {

/// Sets the format of the help texts for a program and for commands that are added after this call. Options are printed
/// in groups, most used groups first, in 80 columns. For a command with more than 24 options, `--help` prints only the
/// most used options, and `--help-all` prints all.
void set_help(CLI::App& app);

}  // namespace troupe::cli
