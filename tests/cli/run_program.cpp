#include "cli/run_program.hpp"

#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <stdexcept>
#include <utility>

#include "runtime/clock.hpp"

using troupe::Deadline;
using troupe::FileDescriptor;

namespace troupe_test {
namespace {

/// Returns the reading and the writing end.
std::pair<FileDescriptor, FileDescriptor> make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("pipe2");
  return {FileDescriptor(ends[0]), FileDescriptor(ends[1])};
}

std::pair<FileDescriptor, FileDescriptor> make_terminal() {
  int controlling = -1;
  int terminal = -1;
  if (::openpty(&controlling, &terminal, nullptr, nullptr, nullptr) != 0) throw std::runtime_error("openpty");
  ::fcntl(controlling, F_SETFD, FD_CLOEXEC);
  ::fcntl(terminal, F_SETFD, FD_CLOEXEC);
  return {FileDescriptor(controlling), FileDescriptor(terminal)};
}

[[noreturn]] void become(const std::vector<std::string>& arguments, const Surroundings& around, int out, int err) {
  ::setpgid(0, 0);
  ::signal(SIGPIPE, SIG_DFL);
  ::dup2(::open("/dev/null", O_RDONLY), 0);
  ::dup2(around.output.empty() ? out : ::open(around.output.c_str(), O_WRONLY), 1);
  ::dup2(err, 2);
  if (!around.temporary.empty()) ::setenv("TMPDIR", around.temporary.c_str(), 1);
  if (!around.folder.empty() && ::chdir(around.folder.c_str()) != 0) ::_exit(126);
  std::string program = TROUPE_PROGRAM;
  std::vector<char*> argv{program.data()};
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  if (around.limit) around.limit();
  ::execv(argv[0], argv.data());
  ::_exit(127);
}

/// Appends the available text. Returns false at the end of the stream.
bool read_into(const FileDescriptor& from, std::string& text) {
  std::array<char, 1 << 16> buffer{};
  const ssize_t got = ::read(from.get(), buffer.data(), buffer.size());
  if (got > 0) text.append(buffer.data(), static_cast<std::size_t>(got));
  return got > 0;
}

}  // namespace

Program::Program(const std::vector<std::string>& arguments, const Surroundings& surroundings) {
  auto [out, out_writing] = surroundings.terminal ? make_terminal() : make_pipe();
  auto [err, err_writing] = make_pipe();
  pid_ = ::fork();
  if (pid_ < 0) throw std::runtime_error("fork");
  if (pid_ == 0) become(arguments, surroundings, out_writing.get(), err_writing.get());
  ::setpgid(pid_, pid_);  // also set here, because either the parent or the child may run first
  out_.end = std::move(out);
  err_.end = std::move(err);
}

Program::~Program() {
  if (pid_ < 0) return;
  ::kill(-pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
}

bool Program::read_some(std::chrono::milliseconds timeout) {
  std::array<pollfd, 2> waiting{pollfd{out_.end.get(), POLLIN, 0}, pollfd{err_.end.get(), POLLIN, 0}};
  if (!out_.end && !err_.end) return false;
  if (::poll(waiting.data(), waiting.size(), static_cast<int>(timeout.count())) <= 0) return false;
  if (waiting[0].revents != 0 && !read_into(out_.end, out_.text)) out_.end.reset();
  if (waiting[1].revents != 0 && !read_into(err_.end, err_.text)) err_.end.reset();
  return true;
}

bool Program::comes(const Stream& stream, const std::string& text) {
  const Deadline deadline(kPatience);
  while (stream.text.find(text) == std::string::npos)
    if (!read_some(deadline.left())) return false;
  return true;
}

void Program::read_until_silent(std::chrono::milliseconds silence) {
  while (read_some(silence)) {
  }
}

Finished Program::finish() {
  const Deadline deadline(kPatience);
  while (read_some(deadline.left())) {
  }
  if (out_.end || err_.end) throw std::runtime_error("the program has not ended in time; so far: " + out_.text);
  int status = 0;
  ::waitpid(std::exchange(pid_, -1), &status, 0);
  return {WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status), out_.text, err_.text};
}

Finished run_program(const std::vector<std::string>& arguments, const Surroundings& surroundings) {
  return Program(arguments, surroundings).finish();
}

}  // namespace troupe_test
