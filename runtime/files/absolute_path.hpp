#pragma once

#include <string>

namespace troupe {

/// Makes a path that is not empty absolute, as it is meant now: the process may go to another folder later.
void make_absolute(std::string& path);

}  // namespace troupe
