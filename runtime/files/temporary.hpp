#pragma once

#include <filesystem>

namespace troupe {

/// The folder for temporary files: $TMPDIR, or /tmp where it is unset or empty.
/// @throws Error system that names the folder if it is none
std::filesystem::path temporary_folder();

}  // namespace troupe
