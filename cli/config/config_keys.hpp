#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace troupe::cli {

/// The key of `--group` in a configuration. Its value is a list of objects there, and a text for each element on the
/// command line.
inline constexpr const char* kGroupsKey = "group";

/// Returns the key of an option in a configuration: its name with underscores instead of dashes. Empty for options that
/// are not configurable, such as --help and positionals.
std::string key_of(const CLI::Option& option);

/// Returns the name of an option as it is typed, such as "--learning-rate". (CLI11 returns no name for options that are
/// hidden from help.)
std::string flag_of(const CLI::Option& option);

/// Returns the option of a command for a key; null if there is none. In commands that run workers, also accepts the
/// keys of configurations before version 1.0. These keys follow the members of `troupe::Options`, such as
/// "optimizer.learning_rate".
const CLI::Option* option_of(const CLI::App& command, const std::string& key);

/// Returns a second command whose options `command` also accepts: `train` for `tune`, null for other commands.
const CLI::App* other_command(const CLI::App& command);

/// Returns whether the command has keys that start with `key` and a dot.
bool is_section(const CLI::App& command, const std::string& key);

/// Returns the keys of all options of a command, for suggestions after a typing error.
std::vector<std::string> keys_of(const CLI::App& command);

/// Returns an error message of the library in which names of members of troupe::Options are replaced by the command's
/// options, such as --batch-size. Quoted text stays unchanged, because it comes from the user.
std::string with_options(const CLI::App& command, const std::string& message);

/// Returns whether an option may be repeated on the command line. Such an option is a list in a configuration.
bool is_list(const CLI::Option& option);
/// Returns whether an option has no value on the command line. Such an option is true or false in a configuration.
bool is_flag(const CLI::Option& option);

}  // namespace troupe::cli
