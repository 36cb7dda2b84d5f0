#pragma once

#include <string>
#include <vector>

namespace troupe::cli {

/// Checks that weights can be saved to the file `path`: its folder exists and is writable, and `path` is not the path
/// of another file of the run. Call this before the training, so that the work of the training is not lost because of a
/// wrong path.
/// @param others paths of other files that the run writes; empty texts are ignored
/// @throws Error bad_file
void check_save_path(const std::string& path, const std::vector<std::string>& others = {});

}  // namespace troupe::cli
