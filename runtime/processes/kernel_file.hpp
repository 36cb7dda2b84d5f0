#pragma once

#include <string>

namespace troupe {

/// Returns the content of a file of /proc or /sys; empty if the file cannot be read. Uses system calls instead of a C++
/// stream, because callers describe errors after descriptors or memory have run out.
std::string read_kernel_file(const std::string& path);

}  // namespace troupe
