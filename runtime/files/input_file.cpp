#include "runtime/files/input_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "troupe/error.hpp"

namespace troupe {
namespace {

std::int64_t time_of(const struct stat& status) {
  return std::int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec;
}

}  // namespace

void throw_bad_file(const std::string& path, const std::string& message) {
  throw Error(ErrorCode::bad_file, message, {.object = path});
}

void throw_cannot(const std::string& what, const std::string& path) {
  throw_bad_file(path, "cannot " + what + ": " + std::generic_category().message(errno));
}

InputFile::InputFile(std::string path)
    : path_(std::move(path)),
      // Without O_NONBLOCK, opening a FIFO would block until a writer opens it, too.
      file_(::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
  if (!file_) throw_cannot("open", path_);
  struct stat status {};
  const bool known = ::fstat(file_.get(), &status) == 0;
  if (!known || !S_ISREG(status.st_mode)) throw_bad_file(path_, "not a regular file");
  size_ = static_cast<std::uint64_t>(status.st_size);
  modified_ = time_of(status);
}

void InputFile::check_unchanged() const {
  struct stat status {};
  const bool known = ::fstat(file_.get(), &status) == 0;
  if (!known || static_cast<std::uint64_t>(status.st_size) != size_ || time_of(status) != modified_)
    throw_bad_file(path_, "the file has changed since it was opened");
}

void InputFile::read(std::uint64_t offset, std::span<std::byte> out) const {
  while (!out.empty()) {
    const ssize_t got = ::pread(file_.get(), out.data(), out.size(), static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw_cannot("read", path_);
    if (got == 0) throw_bad_file(path_, "truncated");
    offset += static_cast<std::uint64_t>(got);
    out = out.subspan(static_cast<std::size_t>(got));
  }
}

std::vector<std::byte> InputFile::read_all() const {
  std::vector<std::byte> bytes(size_);
  read(0, bytes);
  return bytes;
}

std::string InputFile::read_text() const {
  std::string text(size_, '\0');
  read(0, std::as_writable_bytes(std::span(text)));
  return text;
}

std::string InputFile::read_text(std::uint64_t most) const {
  if (size_ > most) throw_bad_file(path_, "larger than " + std::to_string(most >> 10) + " KiB");
  return read_text();
}

}  // namespace troupe
