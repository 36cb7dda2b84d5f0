#pragma once

#include <string>

namespace troupe::cli {

/// Says before the training, not after it, that its weights could not be saved. @throws Error bad_file
void check_save_path(const std::string& path);

}  // namespace troupe::cli
