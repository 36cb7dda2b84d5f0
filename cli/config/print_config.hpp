#pragma once

#include <CLI/CLI.hpp>
#include <nlohmann/json_fwd.hpp>

namespace troupe::cli {

/// Gives each command that has none below it `--config FILE`, for its help, and `--print-config`, with which it prints
/// what `config_of` makes in the place of what it does.
void add_config_options(CLI::App& app);

/// What was said to a command that has been parsed, and the defaults of what was not: a configuration by which
/// `expand_config` says the same to it.
nlohmann::ordered_json config_of(const CLI::App& command);

}  // namespace troupe::cli
