#include "models/files/output_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <utility>

#include "models/files/input_file.hpp"

namespace troupe {

OutputFile::OutputFile(std::string path) : path_(std::move(path)) {
  std::error_code ignored;
  const auto status = std::filesystem::status(path_, ignored);
  // The file takes the place of what is there, which must not be a device, a pipe or a folder.
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))
    throw_bad_file(path_, "cannot write: this is no regular file");
  create();
}

OutputFile::~OutputFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!committed_) ::unlink(temporary_.c_str());
}

void OutputFile::fail(const std::string& what) const {
  throw_bad_file(path_, "cannot " + what + ": " + std::generic_category().message(errno));
}

void OutputFile::create() {
  const std::string stem = path_ + ".tmp-" + std::to_string(::getpid()) + "-";
  for (int attempt = 0;; ++attempt) {
    temporary_ = stem + std::to_string(attempt);
    descriptor_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor_ >= 0) return;
    constexpr int kAttempts = 100;
    if (errno != EEXIST || attempt == kAttempts) fail("write");
  }
}

void OutputFile::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail("write");
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
}

void OutputFile::commit() {
  if (::fsync(descriptor_) != 0) fail("write");
  if (::close(std::exchange(descriptor_, -1)) != 0) fail("write");
  if (std::rename(temporary_.c_str(), path_.c_str()) != 0) fail("write");
  committed_ = true;
  sync_folder();
}

void OutputFile::sync_folder() const {
  const std::string folder = std::filesystem::path(path_).parent_path().string();
  const int descriptor = ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) fail("open the folder");
  const int error = ::fsync(descriptor) == 0 ? 0 : errno;
  ::close(descriptor);
  errno = error;
  // Some file systems have no fsync for folders.
  if (error != 0 && error != EINVAL) fail("bring the folder to disk");
}

}  // namespace troupe
