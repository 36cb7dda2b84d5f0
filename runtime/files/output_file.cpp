#include "runtime/files/output_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <utility>

#include "runtime/files/input_file.hpp"

namespace troupe {

OutputFile::OutputFile(std::string path) : path_(std::move(path)) {
  std::error_code ignored;
  const auto status = std::filesystem::status(path_, ignored);
  // `commit` replaces an existing file at the path, which must therefore not be a device, a pipe or a folder.
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))
    throw_bad_file(path_, "cannot write: not a regular file");
  create();
}

OutputFile::~OutputFile() {
  if (!committed_) ::unlink(temporary_.c_str());
}

void OutputFile::create() {
  const std::string stem = path_ + ".tmp-" + std::to_string(::getpid()) + "-";
  for (int attempt = 0;; ++attempt) {
    temporary_ = stem + std::to_string(attempt);
    FileDescriptor made(::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    if (made) {
      file_.emplace(std::move(made), path_);
      return;
    }
    constexpr int kAttempts = 100;
    if (errno != EEXIST || attempt == kAttempts) throw_cannot("write", path_);
  }
}

void OutputFile::take_mode() {
  std::error_code error;
  const auto mode = std::filesystem::status(path_, error).permissions();
  if (!error) std::filesystem::permissions(temporary_, mode, error);
  if (error) throw_bad_file(path_, "cannot write: " + error.message());
}

void OutputFile::commit() {
  file_->sync();
  if (std::rename(temporary_.c_str(), path_.c_str()) != 0) throw_cannot("write", path_);
  committed_ = true;
  sync_folder_of(path_);
}

}  // namespace troupe
