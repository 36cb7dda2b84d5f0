#pragma once

#include <CLI/CLI.hpp>
#include <nlohmann/json_fwd.hpp>

namespace troupe::cli {

/// Adds the options `--config FILE` and `--print-config` to each command without subcommands. `--config` is added only
/// for its help text, because `expand_config` replaces it before the command line is parsed. With `--print-config`, a
/// command prints the result of `config_of` and does nothing else.
void add_config_options(CLI::App& app);

/// Returns a configuration with all options of a command after parsing: the values that the user typed, and the
/// defaults of the other options. If `expand_config` reads this configuration, the command gets the same options again.
nlohmann::ordered_json config_of(const CLI::App& command);

}  // namespace troupe::cli
