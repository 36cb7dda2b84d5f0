#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace troupe::cli {

/// Key of the list whose elements are objects in a configuration and texts on the command line.
inline constexpr const char* kGroupsKey = "group";

/// Returns the key of an option in a configuration: its name with underscores instead of dashes. Empty for options that
/// are not configurable, such as --help and positionals.
std::string key_of(const CLI::Option& option);

/// Returns an option as it is typed: "--learning-rate". (CLI11 has no name for options that are hidden from help.)
std::string flag_of(const CLI::Option& option);

/// Returns the option of a key; null if there is none. In commands that run workers, also accepts the keys of
/// configurations before 1.0, which followed the members of `Options`, such as "optimizer.learning_rate".
const CLI::Option* option_of(const CLI::App& command, const std::string& key);

/// Returns the command whose options this command takes in addition, as `tune` takes those of `train`; null: none.
const CLI::App* other_command(const CLI::App& command);

/// Returns whether there are keys that start with this key and a dot.
bool is_section(const CLI::App& command, const std::string& key);

/// Returns the keys of all options, for suggestions.
std::vector<std::string> keys_of(const CLI::App& command);

/// Replaces the members of troupe::Options in a message of the library by options such as --batch-size. Quoted text
/// stays unchanged, because it comes from the user.
std::string with_options(const CLI::App& command, const std::string& message);

/// Returns whether an option may be repeated, and is a list in a configuration.
bool is_list(const CLI::Option& option);
bool is_flag(const CLI::Option& option);

}  // namespace troupe::cli
