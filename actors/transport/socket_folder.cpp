#include "actors/transport/socket_folder.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "runtime/files/temporary.hpp"
#include "troupe/error.hpp"

namespace troupe {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFolderPrefix = "troupe-";
constexpr const char* kFolderPattern = "troupe-XXXXXX";

/// Locked while the process lives; none where another one has it.
FileDescriptor lock_folder(const std::string& path) {
  FileDescriptor folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  return folder && ::flock(folder.get(), LOCK_EX | LOCK_NB) == 0 ? std::move(folder) : FileDescriptor();
}

bool is_own_socket(const std::string& path) {
  struct stat status = {};
  return ::lstat(path.c_str(), &status) == 0 && S_ISSOCK(status.st_mode) && status.st_uid == ::geteuid();
}

/// A folder is locked before there is a socket in it, and other folders of such a name have none.
void remove_abandoned(const fs::path& parent, const std::string& socket) {
  std::error_code unreadable;
  for (fs::directory_iterator at(parent, unreadable); !unreadable && at != fs::directory_iterator();
       at.increment(unreadable)) {
    if (!at->path().filename().string().starts_with(kFolderPrefix)) continue;
    const std::string folder = at->path().string();
    if (!is_own_socket(folder + socket) || !lock_folder(folder)) continue;
    ::unlink((folder + socket).c_str());
    ::rmdir(folder.c_str());
  }
}

}  // namespace

SocketFolder::SocketFolder(const std::string& socket) {
  const fs::path parent = temporary_folder();
  remove_abandoned(parent, socket);
  path_ = (parent / kFolderPattern).string();
  if (::mkdtemp(path_.data()) == nullptr)
    throw_errno(("cannot make a folder for a socket in " + parent.string()).c_str());
  lock_ = lock_folder(path_);
}

SocketFolder::~SocketFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

}  // namespace troupe
