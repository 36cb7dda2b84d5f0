#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace troupe::cli {

/// Whose list has objects where the command line has texts.
inline constexpr const char* kGroupsKey = "group";

/// The key of an option in a configuration: its name, with underscores for dashes. Empty for what is not configurable,
/// such as --help and positionals.
std::string key_of(const CLI::Option& option);

/// How an option is typed: "--learning-rate". CLI11 does not name those that help tells nothing of.
std::string flag_of(const CLI::Option& option);

/// The option that a key names; null where none does. In commands that run workers configurations of before 1.0 may
/// have it where `Options` had it then, as "optimizer.learning_rate".
const CLI::Option* option_of(const CLI::App& command, const std::string& key);

/// The command whose options this one takes beside its own, as `tune` takes those of `train`; null: none.
const CLI::App* other_command(const CLI::App& command);

/// Whether there are keys that go on behind this one and a dot.
bool is_section(const CLI::App& command, const std::string& key);

/// The keys of all options, for suggestions.
std::vector<std::string> keys_of(const CLI::App& command);

/// Writes options such as --batch-size in place of the members of troupe::Options that a message of the library names.
/// Quoted text stays as it is: it is the user's.
std::string with_options(const CLI::App& command, const std::string& message);

/// Whether an option may be said again, and is a list in a configuration.
bool is_list(const CLI::Option& option);
bool is_flag(const CLI::Option& option);

}  // namespace troupe::cli
