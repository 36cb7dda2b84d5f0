#pragma once

#include <CLI/CLI.hpp>
#include <nlohmann/json_fwd.hpp>

namespace troupe::cli {

/// Adds `--config FILE` (for its help) and `--print-config` to each command without subcommands. With `--print-config`,
/// a command prints its `config_of` and does nothing else.
void add_config_options(CLI::App& app);

/// Returns the typed options of a parsed command, and the defaults of the others, as a configuration with which
/// `expand_config` gives the command the same options.
nlohmann::ordered_json config_of(const CLI::App& command);

}  // namespace troupe::cli
