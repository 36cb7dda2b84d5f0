#pragma once

#include <string>
#include <vector>

namespace troupe::cli {

/// Checks that weights can be saved at `path`: the folder exists and is writable, and the file replaces no other file
/// of the run. Called before the training, so that an error does not waste its work.
/// @param others paths of other files of the run; empty texts are ignored
/// @throws Error bad_file
void check_save_path(const std::string& path, const std::vector<std::string>& others = {});

}  // namespace troupe::cli
