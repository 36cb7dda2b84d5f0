#pragma once

#include <string>
#include <vector>

namespace troupe::cli {

/// Says before the training, not after it, that its weights could not be saved, or would replace another of its files.
/// @param others may be empty texts. @throws Error bad_file
void check_save_path(const std::string& path, const std::vector<std::string>& others = {});

}  // namespace troupe::cli
