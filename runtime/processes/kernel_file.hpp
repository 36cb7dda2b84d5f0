#pragma once

#include <string>

namespace troupe {

/// Returns the content of a file of /proc or /sys; empty if the file cannot be read. Some callers describe an error
/// after descriptors or memory have run out. The function therefore uses system calls, which need less memory than a
/// C++ stream.
std::string read_kernel_file(const std::string& path);

}  // namespace troupe
