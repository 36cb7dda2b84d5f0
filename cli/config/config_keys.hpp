#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace troupe::cli {

/// Whose list has objects where the command line has texts.
inline constexpr const char* kGroupsKey = "optimizer.groups";

/// Where a configuration has an option: the keys that lead to it, with dots between, such as "optimizer.learning_rate".
/// Commands that run workers call things as `Options` of the library does; others as on the command line, with
/// underscores for dashes. Empty for what is not configurable, such as --help and positionals.
std::string key_of(const CLI::App& command, const CLI::Option& option);

/// The option that a key of `key_of`'s names, or the option's own name ("learning-rate" or "learning_rate"); null where
/// none does.
const CLI::Option* option_of(const CLI::App& command, const std::string& key);

/// Whether there are keys that go on behind this one and a dot.
bool is_section(const CLI::App& command, const std::string& key);

/// All names and keys that `option_of` takes, for suggestions.
std::vector<std::string> keys_of(const CLI::App& command);

/// Writes options such as --batch-size in place of the members of troupe::Options that a message of the library names.
/// Quoted text stays as it is: it is the user's.
std::string with_options(const CLI::App& command, const std::string& message);

/// Whether an option may be said again, and is a list in a configuration.
bool is_list(const CLI::Option& option);
bool is_flag(const CLI::Option& option);

}  // namespace troupe::cli
