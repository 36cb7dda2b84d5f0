#pragma once

#include <string>
#include <vector>

namespace troupe::cli {

/// The hosts of a file: one a line, as the remote shell takes it (HOST or USER@HOST); `#` begins a comment. A host may
/// stand there twice. @throws Error bad_file for a file without hosts, or naming the line that is none.
std::vector<std::string> read_hosts(const std::string& path);

}  // namespace troupe::cli
