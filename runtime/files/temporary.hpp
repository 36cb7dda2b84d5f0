#pragma once

#include <filesystem>

namespace troupe {

/// Returns the folder for temporary files: $TMPDIR, or /tmp if TMPDIR is unset or empty.
/// @throws Error system that contains the path, if the path is not a folder
std::filesystem::path temporary_folder();

}  // namespace troupe
