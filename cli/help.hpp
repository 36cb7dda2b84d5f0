#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace troupe::cli {

/// Lets a program and its commands, added after this, tell of their options in groups, the most used first, in 80
/// columns. Of a command with many options `--help` shows those that are used most, on a screen, and `--help-all` all.
void set_help(CLI::App& app);

}  // namespace troupe::cli
