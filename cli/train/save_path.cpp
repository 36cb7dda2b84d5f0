#include "cli/train/save_path.hpp"

#include <unistd.h>

#include <filesystem>

#include "troupe/error.hpp"

namespace troupe::cli {

void check_save_path(const std::string& path, const std::vector<std::string>& others) {
  namespace fs = std::filesystem;
  const auto refuse = [&](const char* why) {
    throw Error(ErrorCode::bad_file, std::string("cannot save weights there: ") + why, {.object = path});
  };
  std::error_code ignored;
  const fs::path folder = fs::path(path).has_parent_path() ? fs::path(path).parent_path() : ".";
  if (!fs::is_directory(folder, ignored)) refuse("no such folder");
  if (fs::exists(path, ignored) && !fs::is_regular_file(path, ignored)) refuse("not a regular file");
  const auto place = [&](const std::string& each) { return fs::weakly_canonical(fs::absolute(each), ignored); };
  for (const std::string& other : others)
    if (!other.empty() && place(other) == place(path)) refuse("another file of this run has the same path");
  if (::access(folder.c_str(), W_OK) != 0) refuse("the folder cannot be written to");
}

}  // namespace troupe::cli
