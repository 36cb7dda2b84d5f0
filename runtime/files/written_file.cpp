#include "runtime/files/written_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <utility>

#include "runtime/files/input_file.hpp"
#include "troupe/error.hpp"

namespace troupe {
namespace {

constexpr std::uint64_t kManyBytes = std::uint64_t{16} << 20;

}  // namespace

WrittenFile::WrittenFile(FileDescriptor file, std::string path) : file_(std::move(file)), path_(std::move(path)) {}

void WrittenFile::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file_.get(), bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throw_cannot("write", path_);
    bytes = bytes.subspan(static_cast<std::size_t>(written));
    written_ += static_cast<std::uint64_t>(written);
  }
  if (written_ - begun_ < kManyBytes) return;
  // The result is ignored: some file systems do not support this call, and `sync` reports write errors.
  ::sync_file_range(file_.get(), static_cast<off_t>(begun_), static_cast<off_t>(written_ - begun_),
                    SYNC_FILE_RANGE_WRITE);
  begun_ = written_;
}

void WrittenFile::write_whole(std::span<const std::byte> bytes) {
  const off_t end = ::lseek(file_.get(), 0, SEEK_END);
  try {
    write(bytes);
  } catch (const Error&) {
    // Devices and pipes cannot be truncated. If truncation fails, the written part stays in the file. The error of
    // `write` is thrown in any case.
    if (end >= 0 && ::ftruncate(file_.get(), end) == 0) ::lseek(file_.get(), end, SEEK_SET);
    throw;
  }
}

void WrittenFile::cut(std::uint64_t bytes) {
  if (::ftruncate(file_.get(), static_cast<off_t>(bytes)) != 0) throw_cannot("write", path_);
}

void WrittenFile::sync() {
  if (::fsync(file_.get()) != 0) throw_cannot("write", path_);
}

void WrittenFile::close() {
  if (file_ && ::close(file_.release()) != 0) throw_cannot("write", path_);
}

void sync_folder_of(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  const FileDescriptor opened(::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!opened) throw_cannot("open the folder", path);
  // Some file systems have no fsync for folders.
  if (::fsync(opened.get()) != 0 && errno != EINVAL) throw_cannot("flush the folder to disk", path);
}

}  // namespace troupe
