#pragma once

#include <string>
#include <vector>

namespace troupe::cli {

/// Joins words to one command line, with quotes where a shell needs them, and returns the command line. The queries of
/// URLs are replaced (without_secrets).
std::string shell_text(const std::vector<std::string>& words);

/// Returns this program's command line, quoted for a shell, with the words `more` appended. If the command line already
/// contains these words one after the other, they are not appended.
std::string command_line_with(const std::vector<std::string>& more);

}  // namespace troupe::cli
