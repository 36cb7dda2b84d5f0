#pragma once

#include <string>
#include <vector>

namespace troupe::cli {

/// An option's place in what `--help` prints.
struct HelpLine {
  const char* flag;             ///< without dashes
  const char* brief = nullptr;  ///< what `--help` says of it, of a command with many options; null: nothing
};

struct HelpGroup {
  const char* title;
  std::vector<HelpLine> lines;
};

/// Of a command's options, in order, those that are used most first. What stands in none comes before them.
const std::vector<HelpGroup>& help_groups(const std::string& command);

/// Whether an option, told without dashes, is of one algorithm, or of some.
bool is_of_an_algorithm(const std::string& flag);

}  // namespace troupe::cli
