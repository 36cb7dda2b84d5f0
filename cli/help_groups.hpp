#pragma once

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

/// In order, those that are used most first.
const std::vector<HelpGroup>& help_groups();

}  // namespace troupe::cli
