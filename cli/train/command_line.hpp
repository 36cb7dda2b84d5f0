#pragma once

#include <string>
#include <vector>

namespace troupe::cli {

/// Returns words as one command line, with quotes where a shell needs them.
std::string shell_text(const std::vector<std::string>& words);

/// Returns this program's command line, quoted for a shell. Appends the words `more`, unless the command line already
/// contains them one after the other.
std::string command_line_with(const std::vector<std::string>& more);

}  // namespace troupe::cli
