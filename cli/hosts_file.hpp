#pragma once

#include <string>
#include <vector>

namespace troupe::cli {

/// Reads the hosts in a file: one per line, as the remote shell takes it (HOST or USER@HOST); `#` starts a comment. A
/// host may be listed twice. @throws Error bad_file if the file contains no host, or a line is not a host; the error
/// names the line.
std::vector<std::string> read_hosts(const std::string& path);

}  // namespace troupe::cli
