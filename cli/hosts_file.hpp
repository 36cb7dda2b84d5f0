#pragma once

#include <string>
#include <vector>

namespace troupe::cli {

/// Reads a list of hosts from a file. Each line has one host in the form that the remote shell accepts (HOST or
/// USER@HOST); `#` starts a comment. A host may be listed more than once.
/// @throws Error bad_file that names the line, if a line is not a host, or if the file contains no host
std::vector<std::string> read_hosts(const std::string& path);

}  // namespace troupe::cli
