#pragma once

#include <string>
#include <vector>

namespace troupe::cli {

/// Checks, before the training, that its weights can be saved at `path` without replacing another of the run's files.
/// @param others other files of the run; may contain empty texts. @throws Error bad_file
void check_save_path(const std::string& path, const std::vector<std::string>& others = {});

}  // namespace troupe::cli
