#pragma once

#include <string>

namespace troupe {

/// Makes a non-empty path absolute relative to the current folder, because the process may change its folder later.
void make_absolute(std::string& path);

}  // namespace troupe
