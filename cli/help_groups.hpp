#pragma once

#include <string>
#include <vector>

namespace troupe::cli {

/// A line for one option in `--help`.
struct HelpLine {
  const char* flag;  ///< name of the option without dashes
  const char* brief =
      nullptr;  ///< short text in `--help` of a command with many options; null: the option is only in `--help-all`
};

/// A group of options under a title.
struct HelpGroup {
  const char* title;
  std::vector<HelpLine> lines;
};

/// Returns the option groups of a command, most used groups first. Options that are in no group are printed before the
/// groups.
const std::vector<HelpGroup>& help_groups(const std::string& command);

/// Returns whether an option is valid for some algorithms only. @param flag name of the option without dashes
bool is_of_an_algorithm(const std::string& flag);

}  // namespace troupe::cli
