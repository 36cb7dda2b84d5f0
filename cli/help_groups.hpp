#pragma once

#include <string>
#include <vector>

namespace troupe::cli {

/// A line for one option in `--help`.
struct HelpLine {
  const char* flag;             ///< without dashes
  const char* brief = nullptr;  ///< text in `--help` of a command with many options; null: only in `--help-all`
};

struct HelpGroup {
  const char* title;
  std::vector<HelpLine> lines;
};

/// Returns the option groups of a command, most used options first. Options in no group are printed before the groups.
const std::vector<HelpGroup>& help_groups(const std::string& command);

/// Returns whether an option (name without dashes) belongs to particular algorithms.
bool is_of_an_algorithm(const std::string& flag);

}  // namespace troupe::cli
