#include "models/files/checkpoint/folder.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <span>
#include <system_error>
#include <utility>

#include "models/files/checkpoint/manifest.hpp"
#include "runtime/files/input_file.hpp"
#include "runtime/hash.hpp"
#include "runtime/random.hpp"
#include "troupe/error.hpp"

namespace troupe {
namespace {

namespace fs = std::filesystem;

/// The temporary name of a folder that is being written consists of the name of the checkpoint, this text and a unique
/// number of kSuffixDigits hexadecimal digits. Numbers are never reused, because otherwise a process that removes an
/// old folder could remove a new folder of the same name.
constexpr const char* kUnfinished = ".tmp-";
constexpr std::size_t kSuffixDigits = 16;

/// Returns `path` as an absolute path in which all links are replaced by their targets. Therefore a folder that is
/// created next to the result is on the same file system, and can be moved to it.
/// @throws Error bad_file if `path` is empty or is the root folder, or if its links cannot be resolved
std::string settle(const std::string& path) {
  if (path.empty()) throw_bad_file(path, "this path does not name a folder");
  std::error_code error;
  fs::path settled = fs::absolute(path, error);
  if (!error) settled = fs::weakly_canonical(settled, error);
  if (error) throw_bad_file(path, "cannot resolve the path: " + error.message());
  if (settled.filename().empty()) settled = settled.parent_path();
  if (settled.filename().empty()) throw_bad_file(path, "this path does not name a folder");
  return settled.string();
}

bool is_there(const std::string& path) {
  struct stat status {};
  return ::lstat(path.c_str(), &status) == 0;
}

bool is_part(const std::string& name) { return name == kWeightsFile || name == kStateFile || name == kManifestFile; }

/// Removes the files of a checkpoint and then its folder. Removes the manifest after the other files, because the
/// manifest shows that they belong to a checkpoint. Returns false if the folder could not be removed, for example
/// because it contains other files.
bool remove_parts(const std::string& folder) {
  for (const char* const name : {kWeightsFile, kStateFile, kManifestFile}) ::unlink((folder + "/" + name).c_str());
  return ::rmdir(folder.c_str()) == 0;
}

bool is_link(const std::string& path) {
  struct stat status {};
  return ::lstat(path.c_str(), &status) == 0 && S_ISLNK(status.st_mode);
}

/// Returns whether `other` is a temporary name (kReplaced or kUnfinished) that a writer of a checkpoint at `path` gives
/// to folders next to `path`.
bool is_unfinished(const std::string& path, const std::string& other) {
  if (other == path + kReplaced) return true;
  const std::size_t stem = (path + kUnfinished).size();
  return other.starts_with(path + kUnfinished) && other.size() == stem + kSuffixDigits &&
         other.find_first_not_of("0123456789abcdef", stem) == std::string::npos;
}

std::string new_name(const std::string& path) { return path + kUnfinished + hex(drawn_name()); }

/// Removes `folder`, which a writer has not finished, unless the writer is alive. A live writer holds a lock on the
/// manifest in the folder.
void remove_if_abandoned(const std::string& folder) {
  // A writer creates the manifest before all other files and removes it after them. Therefore a folder with other files
  // but no manifest can exist only after the machine has stopped suddenly, and its writer is not alive.
  const bool has_files = is_there(folder + "/" + kWeightsFile) || is_there(folder + "/" + kStateFile);
  const FileDescriptor manifest(::open((folder + "/" + kManifestFile).c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW));
  if (manifest && ::flock(manifest.get(), LOCK_EX | LOCK_NB) == 0) remove_parts(folder);
  if (manifest || errno != ENOENT) return;
  if (has_files) {
    remove_parts(folder);
    return;
  }
  ::rmdir(folder.c_str());  // the folder is empty; if its writer is alive, the writer creates another folder
}

void remove_abandoned(const std::string& path) {
  std::error_code error;
  std::error_code ignored;
  fs::directory_iterator entry(fs::path(path).parent_path(), error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error))
    if (is_unfinished(path, entry->path().string()) &&
        entry->symlink_status(ignored).type() == fs::file_type::directory)
      remove_if_abandoned(entry->path().string());
}

/// Checks that a checkpoint may be written to `path`: nothing exists there, or an empty folder, or a folder with a
/// checkpoint and no other files.
/// @throws Error bad_file if anything else is at `path`.
void require_replaceable(const std::string& path) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0) {
    if (errno != ENOENT) throw_cannot("inspect the folder", path);
    return;
  }
  if (!S_ISDIR(status.st_mode)) throw_bad_file(path, "cannot write a checkpoint: this is not a folder");
  std::error_code error;
  fs::directory_iterator entry(path, error);
  if (!error && entry == fs::directory_iterator()) return;
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (!is_part(name))
      throw_bad_file(path, "cannot replace this folder: it contains '" + name + "', which is not part of a checkpoint");
  }
  if (error) throw_bad_file(path, "cannot read the folder: " + error.message());
  try {
    read_manifest(path);
  } catch (const Error& cause) {
    throw_bad_file(path, "cannot replace this folder: it is not a checkpoint: " + cause.message());
  }
}

}  // namespace

std::string find_checkpoint(const std::string& path) {
  const std::string settled = settle(path);
  return !is_there(settled) && is_there(settled + kReplaced) ? settled + kReplaced : settled;
}

void tidy_checkpoint(const std::string& path) {
  const std::string settled = settle(path);
  if (!is_there(settled)) std::rename((settled + kReplaced).c_str(), settled.c_str());
  remove_abandoned(settled);
}

void remove_checkpoint(const std::string& path) {
  if (is_link(path)) {
    if (::unlink(path.c_str()) != 0) throw_cannot("remove the link", path);
    return;
  }
  const std::string settled = find_checkpoint(path);
  const std::string unfinished = new_name(settle(path));
  if (std::rename(settled.c_str(), unfinished.c_str()) != 0) {
    if (errno == ENOENT) return;
    throw_cannot("remove the checkpoint", path);
  }
  sync_folder_of(settled);  // makes the renaming durable; otherwise, after a power failure, the old name may refer to a
                            // folder without files
  if (!remove_parts(unfinished)) throw_cannot("completely remove the checkpoint", path);
}

CheckpointFolder::CheckpointFolder(const std::string& path) : path_(settle(path)) {
  if (!is_there(path_)) std::rename((path_ + kReplaced).c_str(), path_.c_str());
  require_replaceable(path_);
  remove_abandoned(path_);
  make();
}

CheckpointFolder::~CheckpointFolder() {
  if (!temporary_.empty()) remove_parts(temporary_);
}

void CheckpointFolder::make() {
  constexpr int kAttempts = 100;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    temporary_ = new_name(path_);
    if (::mkdir(temporary_.c_str(), 0777) != 0) throw_cannot("create a temporary folder next to it", path_);
    if (hold()) return;
  }
  throw_bad_file(path_, "cannot create a temporary folder next to it: other processes remove it");
}

/// Creates and locks the manifest in the new folder. The lock shows other writers that this writer is alive. Returns
/// false if another writer removed the folder before the manifest was locked, because the folder looked abandoned; the
/// caller must then create another folder.
bool CheckpointFolder::hold() {
  FileDescriptor made(::open(file(kManifestFile).c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (!made && errno == ENOENT) return false;
  if (!made) {
    const int error = errno;
    ::rmdir(temporary_.c_str());
    errno = error;
    throw_cannot("write", path_);
  }
  // If the file system does not support locks, continues without a lock. This is safe: a writer removes a folder with a
  // manifest only after it has locked the manifest, which no writer can do on such a file system.
  if (::flock(made.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) return false;
  struct stat status {};
  if (::fstat(made.get(), &status) != 0 || status.st_nlink == 0) return false;
  manifest_.emplace(std::move(made), path_ + "/" + kManifestFile);
  return true;
}

WrittenFile CheckpointFolder::create(const std::string& name) const {
  FileDescriptor made(::open(file(name).c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (!made) throw_cannot("write", path_);
  return {std::move(made), path_ + "/" + name};
}

void CheckpointFolder::commit(std::string_view manifest) {
  manifest_->write(std::as_bytes(std::span(manifest)));
  manifest_->sync();
  sync_folder_of(file(kManifestFile));
  require_replaceable(path_);
  const std::string before = put_in_place();
  temporary_.clear();
  sync_folder_of(path_);
  if (!before.empty()) remove_parts(before);
  manifest_.reset();
}

std::string CheckpointFolder::put_in_place() {
  if (std::rename(temporary_.c_str(), path_.c_str()) == 0) return "";
  if (errno != ENOTEMPTY && errno != EEXIST) throw_cannot("write", path_);
  if (::renameat2(AT_FDCWD, temporary_.c_str(), AT_FDCWD, path_.c_str(), RENAME_EXCHANGE) == 0) return temporary_;
  if (errno != EINVAL && errno != ENOSYS) throw_cannot("replace the checkpoint", path_);
  return replace_without_exchange();
}

/// Replaces the previous checkpoint on file systems that cannot exchange two folders, such as NFS. Renames the previous
/// checkpoint first, then the new one. Between these two operations no folder exists at the path of the checkpoint;
/// `find_checkpoint` then finds the previous checkpoint.
std::string CheckpointFolder::replace_without_exchange() {
  std::string before = path_ + kReplaced;
  if (std::rename(path_.c_str(), before.c_str()) != 0) throw_cannot("replace the checkpoint", path_);
  if (std::rename(temporary_.c_str(), path_.c_str()) == 0) return before;
  const int error = errno;
  std::rename(before.c_str(), path_.c_str());
  errno = error;
  throw_cannot("replace the checkpoint", path_);
}

}  // namespace troupe
