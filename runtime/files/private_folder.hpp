#pragma once

#include <string>

namespace troupe {

/// Makes a folder, with mode 0700, and the folders above it, unless it exists. Checks that only this user may write to
/// it, so that its files can be trusted.
/// @throws Error bad_file if it cannot be made, or if others own it or may write to it
void make_private_folder(const std::string& path);

}  // namespace troupe
