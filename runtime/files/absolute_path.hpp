#pragma once

#include <string>

namespace troupe {

/// Converts `path` to an absolute path, based on the current folder, because the process may change its current folder
/// later. Leaves an empty path unchanged.
void make_absolute(std::string& path);

}  // namespace troupe
