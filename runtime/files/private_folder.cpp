#include "runtime/files/private_folder.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

#include "runtime/files/input_file.hpp"

namespace troupe {

void make_private_folder(const std::string& path) {
  const std::string name = path.substr(0, path.find_last_not_of('/') + 1);
  const std::filesystem::path above = std::filesystem::path(name).parent_path();
  std::error_code failed;
  if (!above.empty()) std::filesystem::create_directories(above, failed);
  if (::mkdir(name.c_str(), 0700) != 0 && errno != EEXIST) throw_cannot("make the folder", path);
  struct stat status {};
  if (::stat(name.c_str(), &status) != 0 || !S_ISDIR(status.st_mode)) throw_bad_file(path, "this is not a folder");
  if (status.st_uid != ::geteuid() || (status.st_mode & (S_IWGRP | S_IWOTH)) != 0)
    throw_bad_file(path, "other users may write to this folder, so its files cannot be trusted");
}

}  // namespace troupe
