#pragma once

#include <string>
#include <vector>

namespace troupe::cli {

/// The words as a shell takes them.
std::string shell_text(const std::vector<std::string>& words);

/// This program's command line with a flag at its end, unless it has it already.
std::string command_line_with(const std::string& flag);

}  // namespace troupe::cli
