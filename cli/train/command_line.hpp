#pragma once

#include <string>
#include <vector>

namespace troupe::cli {

/// Quotes words for a shell.
std::string shell_text(const std::vector<std::string>& words);

/// Returns this program's command line, with `more` appended unless it already contains these words in sequence.
std::string command_line_with(const std::vector<std::string>& more);

}  // namespace troupe::cli
