#include "runtime/files/absolute_path.hpp"

#include <filesystem>

namespace troupe {

void make_absolute(std::string& path) {
  std::error_code error;
  const std::filesystem::path absolute = std::filesystem::absolute(path, error);
  if (!path.empty() && !error) path = absolute.string();
}

}  // namespace troupe
