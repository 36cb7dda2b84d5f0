#include "runtime/processes/command_output.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string_view>
#include <utility>

#include "runtime/clock.hpp"
#include "runtime/printable.hpp"
#include "troupe/error.hpp"

namespace troupe {
namespace {

/// The interval of checks whether the command has ended. The end of the output does not tell this, because another
/// process that the command started may keep the output open.
constexpr std::chrono::milliseconds kLook{100};
/// The maximum time to wait for the end of a command that has closed its output.
constexpr std::chrono::seconds kClosedTimeout{10};
constexpr std::size_t kMostErrors = 4096;

std::pair<FileDescriptor, FileDescriptor> make_pipe() {
  int ends[2] = {-1, -1};
  if (::pipe2(ends, O_CLOEXEC) != 0) throw_errno("pipe");
  return {FileDescriptor(ends[0]), FileDescriptor(ends[1])};
}

/// Starts a shell command with an empty standard input.
/// @param output,errors set to the read ends of pipes, to which the command writes its standard output and standard
/// error
ChildProcess start_command(const std::string& command, FileDescriptor& output, FileDescriptor& errors) {
  auto [output_end, to_output] = make_pipe();
  auto [errors_end, to_errors] = make_pipe();
  const FileDescriptor nothing(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  if (!nothing) throw_errno("open /dev/null");
  output = std::move(output_end);
  errors = std::move(errors_end);
  return ChildProcess::start("/bin/sh", {"sh", "-c", command},
                             {{nothing.get(), 0}, {to_output.get(), 1}, {to_errors.get(), 2}});
}

ssize_t read_some(int file, std::span<std::byte> to) {
  ssize_t got = 0;
  do {
    got = ::read(file, to.data(), to.size());
  } while (got < 0 && errno == EINTR);
  return got;
}

bool is_readable(int file) {
  pollfd waiting{file, POLLIN, 0};
  return ::poll(&waiting, 1, 0) > 0;
}

std::string_view last_line(std::string_view text) {
  const std::size_t end = text.find_last_not_of(" \n\r\t");
  if (end == std::string_view::npos) return {};
  text = text.substr(0, end + 1);
  return text.substr(text.find_last_of('\n') + 1);
}

}  // namespace

CommandOutput::CommandOutput(std::string command)
    : command_(std::move(command)), child_(start_command(command_, output_, errors_)) {}

std::size_t CommandOutput::read(std::span<std::byte> to) {
  for (;;) {
    std::array<pollfd, 2> waiting{{{output_.get(), POLLIN, 0}, {errors_.get(), POLLIN, 0}}};
    const int ready = ::poll(waiting.data(), waiting.size(), static_cast<int>(kLook.count()));
    if (ready < 0 && errno != EINTR) throw_errno("poll");
    if (ready > 0 && waiting[1].revents != 0) read_errors();
    if (ready > 0 && waiting[0].revents != 0) {
      const ssize_t got = read_some(output_.get(), to);
      if (got < 0) throw_errno("read");
      if (got > 0) return static_cast<std::size_t>(got);
      check_end();
      return 0;
    }
    // The command has ended. A process that the command started may keep the output open forever, so `read` does not
    // wait for the end of the output.
    if (ready == 0 && child_.wait(std::chrono::milliseconds(0)) && !is_readable(output_.get())) {
      check_end();
      return 0;
    }
  }
}

void CommandOutput::read_errors() {
  std::array<std::byte, kMostErrors> bytes{};
  const ssize_t got = read_some(errors_.get(), bytes);
  if (got <= 0) return errors_.reset();
  last_errors_.append(reinterpret_cast<const char*>(bytes.data()), static_cast<std::size_t>(got));
  if (last_errors_.size() > kMostErrors) last_errors_.erase(0, last_errors_.size() - kMostErrors);
}

void CommandOutput::check_end() {
  const Deadline deadline(kClosedTimeout);
  while (!child_.wait(std::min<std::chrono::milliseconds>(kLook, deadline.left())) && !deadline.passed())
    while (errors_ && is_readable(errors_.get())) read_errors();
  while (errors_ && is_readable(errors_.get())) read_errors();
  if (child_.exit_status() == 0) return;
  const std::string how = child_.how_it_ended();
  const std::string_view why = last_line(last_errors_);
  throw Error(ErrorCode::bad_file,
              "the command " + (how.empty() ? "closed its output and does not end" : how) +
                  (why.empty() ? "" : ": " + printable(why, 500)),
              {.object = printable(command_, 500)});
}

}  // namespace troupe
