#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace troupe::cli {

/// The key of the option `--group` in a configuration file. In a configuration, the value is a list of objects. On the
/// command line, each element of this list is one `--group TEXT`.
inline constexpr const char* kGroupsKey = "group";

/// Returns the key of an option in a configuration file: the option's name with underscores instead of dashes. Returns
/// an empty text for an option that a configuration cannot set, such as --help or a positional argument.
std::string key_of(const CLI::Option& option);

/// Returns the name of an option as the user types it, such as "--learning-rate". This function is needed because CLI11
/// returns no name for an option that is hidden in `--help`.
std::string flag_of(const CLI::Option& option);

/// Returns the option of `command` that has the key `key` in a configuration; null if there is none. For a command that
/// runs workers, also accepts the keys of configurations before version 1.0. These keys are the names of members of
/// `troupe::Options`, such as "optimizer.learning_rate".
const CLI::Option* option_of(const CLI::App& command, const std::string& key);

/// Returns another command whose options `command` also accepts. For `tune`, this is `train`; for all other commands,
/// returns null.
const CLI::App* other_command(const CLI::App& command);

/// Returns whether the command has options whose keys start with `key` and a dot. If so, the value of `key` in a
/// configuration is a nested object.
bool is_section(const CLI::App& command, const std::string& key);

/// Returns the configuration keys of all options of a command. They are used to suggest a key after a typing error.
std::vector<std::string> keys_of(const CLI::App& command);

/// Replaces the names of members of troupe::Options in an error message of the library with the command's options, such
/// as --batch-size. Returns the new message. Quoted parts of the message stay unchanged, because they come from the
/// user.
std::string with_options(const CLI::App& command, const std::string& message);

/// Returns whether an option may be repeated on the command line, and so has a list as its value in a configuration.
bool is_list(const CLI::Option& option);
/// Returns whether an option has no value on the command line, and so has the value true or false in a configuration.
bool is_flag(const CLI::Option& option);

}  // namespace troupe::cli
