#pragma once

#include <string>
#include <vector>

namespace troupe::cli {

/// A line for one option in `--help`.
struct HelpLine {
  const char* flag;  ///< name of the option without dashes
  /// Text of the option in `--help` of a command with more than 24 options; null: only `--help-all` prints the option.
  const char* brief = nullptr;
};

/// A group of options under a title.
struct HelpGroup {
  const char* title;
  std::vector<HelpLine> lines;
};

/// Returns the groups into which the help text divides the options of a command, beginning with the most used groups.
/// Options that are in no group are printed before the groups.
/// @param command name of the command, such as "train"
const std::vector<HelpGroup>& help_groups(const std::string& command);

/// Returns whether an option is valid only for some algorithms, such as L-BFGS. @param flag name of the option without
/// dashes
bool is_of_an_algorithm(const std::string& flag);

}  // namespace troupe::cli
