#include "actors/callbacks/log_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <filesystem>
#include <span>

#include "runtime/files/input_file.hpp"

namespace troupe {
namespace {

/// What a process that was killed has left of a line is cut off; a device or pipe is as it is.
void cut_half_line(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return;
  const std::string text = InputFile(path).read_text();
  const std::size_t end = text.rfind('\n') + 1;  // 0 where there is none
  if (end < text.size() && ::truncate(path.c_str(), static_cast<off_t>(end)) != 0) throw_cannot("write", path);
}

WrittenFile open_log(const std::string& path, bool goes_on) {
  if (goes_on) cut_half_line(path);
  const int from = goes_on ? O_APPEND : O_TRUNC;
  FileDescriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | from, 0666));
  if (!file) throw_cannot("write", path);
  return {std::move(file), path};
}

}  // namespace

LogFile::LogFile(const std::string& path, bool goes_on) : file_(open_log(path, goes_on)) {}

void LogFile::write(std::string_view text) { file_.write(std::as_bytes(std::span(text))); }

}  // namespace troupe
