#pragma once

#include <string>

namespace troupe {

/// What the kernel says in a file of /proc or /sys; empty where it cannot be read. No stream: this is asked when
/// descriptors or memory have run out.
std::string read_kernel_file(const std::string& path);

}  // namespace troupe
