#pragma once

#include <string>

namespace troupe {

/// Makes a path absolute, relative to the current folder, because the process may change its current folder later.
/// Leaves an empty path unchanged.
void make_absolute(std::string& path);

}  // namespace troupe
