#pragma once

#include <string>
#include <vector>

namespace troupe::cli {

/// Reads a file with a list of hosts, and returns the hosts. Each line of the file contains one host in the form that
/// the remote shell accepts (HOST or USER@HOST). `#` starts a comment. A host may be listed more than once.
/// @throws Error bad_file if a line is not a host (the message contains the line's number), or the file contains no
/// host
std::vector<std::string> read_hosts(const std::string& path);

}  // namespace troupe::cli
