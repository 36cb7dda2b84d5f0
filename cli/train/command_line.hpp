#pragma once

#include <string>
#include <vector>

namespace troupe::cli {

/// The words as a shell takes them.
std::string shell_text(const std::vector<std::string>& words);

/// This program's command line with more words at its end, unless it has these, one after the other, already.
std::string command_line_with(const std::vector<std::string>& more);

}  // namespace troupe::cli
