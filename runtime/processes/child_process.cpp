#include "runtime/processes/child_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>

#include "runtime/clock.hpp"
#include "runtime/processes/limits.hpp"

namespace troupe {
namespace {

/// Of a process that was killed, until it has ended.
constexpr std::chrono::seconds kEndTimeout{10};

/// In the child, between fork and exec: only calls that are safe there.
[[noreturn]] void become(const char* program, char* const* arguments, const std::pair<int, int>* inherited,
                         std::size_t count) {
  // First out of the way of the numbers they are to have, then onto them; dup2 clears close-on-exec.
  constexpr std::size_t kMost = 8;
  int moved[kMost] = {};
  int above = 0;
  for (std::size_t i = 0; i < count; ++i) above = inherited[i].second >= above ? inherited[i].second + 1 : above;
  for (std::size_t i = 0; i < count; ++i) moved[i] = ::fcntl(inherited[i].first, F_DUPFD_CLOEXEC, above);
  for (std::size_t i = 0; i < count; ++i)
    if (moved[i] < 0 || ::dup2(moved[i], inherited[i].second) < 0) ::_exit(127);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);  // a mask outlives exec
  ::execv(program, arguments);
  ::_exit(127);
}

}  // namespace

ChildProcess ChildProcess::start(const std::string& program, const std::vector<std::string>& arguments,
                                 const std::vector<std::pair<int, int>>& inherited) {
  std::vector<char*> argv;
  argv.reserve(arguments.size() + 1);
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  int ends[2] = {-1, -1};
  if (::pipe2(ends, O_CLOEXEC) != 0) throw_errno("pipe");
  const FileDescriptor begun(ends[0]);
  FileDescriptor held_until_exec(ends[1]);
  const pid_t pid = ::fork();
  if (pid < 0 && errno == EAGAIN) throw_no_task("cannot start a process");
  if (pid < 0) throw_errno("fork");
  if (pid == 0) become(program.c_str(), argv.data(), inherited.data(), inherited.size());
  // Before its exec the child has our handlers: a signal would be handled by them.
  held_until_exec = FileDescriptor();
  char nothing = 0;
  while (::read(begun.get(), &nothing, 1) < 0 && errno == EINTR) {
  }
  FileDescriptor handle(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  if (!handle) {
    ::kill(pid, SIGKILL);
    ::waitpid(pid, nullptr, 0);
    throw_errno("pidfd_open");
  }
  return {pid, std::move(handle)};
}

ChildProcess& ChildProcess::operator=(ChildProcess&& other) noexcept {
  std::swap(pid_, other.pid_);
  std::swap(handle_, other.handle_);
  std::swap(status_, other.status_);
  std::swap(reaped_elsewhere_, other.reaped_elsewhere_);
  return *this;
}

ChildProcess::~ChildProcess() { end(); }

bool ChildProcess::wait(std::chrono::milliseconds timeout) {
  if (!handle_) return true;
  const Deadline deadline(timeout);
  pollfd waiting{handle_.get(), POLLIN, 0};
  int ready = 0;
  do {
    ready = ::poll(&waiting, 1, static_cast<int>(std::min<std::int64_t>(deadline.left().count(), INT32_MAX)));
  } while (ready < 0 && errno == EINTR);
  if (ready <= 0) return false;
  reap();
  return true;
}

void ChildProcess::signal(int number) {
  if (handle_) ::syscall(SYS_pidfd_send_signal, handle_.get(), number, nullptr, 0);
}

void ChildProcess::kill() {
  if (!end()) throw Error(ErrorCode::system, "process " + std::to_string(pid_) + " was killed and does not end");
}

bool ChildProcess::end() {
  signal(SIGKILL);
  return wait(kEndTimeout);
}

void ChildProcess::reap() {
  pid_t reaped = -1;
  do {
    reaped = ::waitpid(pid_, &status_, 0);
  } while (reaped < 0 && errno == EINTR);
  reaped_elsewhere_ = reaped < 0;
  handle_.reset();
}

int ChildProcess::exit_status() const {
  if (handle_ || reaped_elsewhere_) return -1;
  return WIFSIGNALED(status_) ? 128 + WTERMSIG(status_) : WEXITSTATUS(status_);
}

std::string ChildProcess::how_it_ended() const {
  if (handle_) return "";
  if (reaped_elsewhere_) return "ended; its status was taken by another wait of this program";
  if (WIFSIGNALED(status_)) return "was ended by signal " + std::to_string(WTERMSIG(status_));
  return "ended with status " + std::to_string(WEXITSTATUS(status_));
}

}  // namespace troupe
