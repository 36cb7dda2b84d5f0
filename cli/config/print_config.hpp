#pragma once

#include <CLI/CLI.hpp>
#include <nlohmann/json_fwd.hpp>

namespace troupe::cli {

/// Adds `--config FILE` and `--print-config` to each command without subcommands. `--config` is added only for its help
/// text: `expand_config` handles it before parsing. With `--print-config`, a command prints its `config_of` and does
/// nothing else.
void add_config_options(CLI::App& app);

/// Returns a configuration with the options of a parsed command: typed values, and the defaults of the other options.
/// If `expand_config` reads this configuration, the command has the same options again.
nlohmann::ordered_json config_of(const CLI::App& command);

}  // namespace troupe::cli
