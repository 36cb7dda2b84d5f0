#include "actors/transport/socket_folder.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <ctime>
#include <filesystem>

#include "runtime/files/temporary.hpp"
#include "troupe/error.hpp"

namespace troupe {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFolderPrefix = "troupe-";
constexpr const char* kFolderPattern = "troupe-XXXXXX";

/// Locks the folder `path`, without waiting. Returns a descriptor; the lock is held as long as this descriptor is open.
/// Returns an empty descriptor if another process holds the lock, or if the folder cannot be opened.
FileDescriptor lock_folder(const std::string& path) {
  FileDescriptor folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  return folder && ::flock(folder.get(), LOCK_EX | LOCK_NB) == 0 ? std::move(folder) : FileDescriptor();
}

bool is_own_socket(const std::string& path) {
  struct stat status = {};
  return ::lstat(path.c_str(), &status) == 0 && S_ISSOCK(status.st_mode) && status.st_uid == ::geteuid();
}

/// Returns true if `folder` is the empty socket folder of a process that was killed. The process was killed before it
/// created its socket, or after it removed the socket. Returns false if `folder` is younger than a minute, because its
/// owner may not have locked it yet.
bool is_left_empty(const std::string& folder) {
  constexpr std::int64_t kYoung = 60;  // seconds
  struct stat status = {};
  std::error_code ignored;
  const std::string name = fs::path(folder).filename().string();
  return name.size() == std::strlen(kFolderPattern) && ::lstat(folder.c_str(), &status) == 0 &&
         S_ISDIR(status.st_mode) && status.st_uid == ::geteuid() && (status.st_mode & 0777) == 0700 &&
         fs::is_empty(folder, ignored) && ::time(nullptr) - status.st_mtim.tv_sec > kYoung;
}

/// Removes from `parent` the socket folders of processes that were killed. A folder is removed if its name begins with
/// kFolderPrefix, it contains this user's socket `socket` (or is empty and old), and it is not locked. Folders of
/// living processes are never removed, because a process locks its folder before it creates the socket.
void remove_abandoned(const fs::path& parent, const std::string& socket) {
  std::error_code unreadable;
  for (fs::directory_iterator at(parent, unreadable); !unreadable && at != fs::directory_iterator();
       at.increment(unreadable)) {
    if (!at->path().filename().string().starts_with(kFolderPrefix)) continue;
    const std::string folder = at->path().string();
    if (!(is_own_socket(folder + socket) || is_left_empty(folder)) || !lock_folder(folder)) continue;
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
    throw_errno(("cannot create a folder for a socket in " + parent.string()).c_str());
  lock_ = lock_folder(path_);
}

SocketFolder::~SocketFolder() {
  std::error_code ignored;
  if (owner_.is_this()) fs::remove_all(path_, ignored);
}

}  // namespace troupe
