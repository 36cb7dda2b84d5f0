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
#include <cstring>
#include <string_view>

#include "runtime/clock.hpp"
#include "runtime/processes/limits.hpp"

namespace troupe {
namespace {

/// The maximum time to wait for the end of a process that was killed.
constexpr std::chrono::seconds kEndTimeout{10};

/// The arguments of exec.
struct Program {
  const char* path;
  char* const* arguments;
  char* const* environment;
};

/// Replaces the calling process, a forked child, with `program`. The function makes only async-signal-safe calls,
/// because no others are allowed between fork and exec.
/// @param inherited,count the descriptors that the program inherits, as in `start`, and their number
/// @param told the descriptor of a pipe; if a system call fails, its `errno` is written to the pipe
[[noreturn]] void become(const Program& program, const std::pair<int, int>* inherited, std::size_t count, int told) {
  const auto fail = [&told]() {
    const int why = errno;
    ::_exit(::write(told, &why, sizeof why) < 0 ? 126 : 127);
  };
  // First duplicates all descriptors to numbers above all target numbers. Then duplicates these duplicates to the
  // target numbers. With one step only, a target number could replace a descriptor that is still needed. The
  // descriptors that dup2 makes stay open on exec.
  constexpr std::size_t kMost = 8;
  int moved[kMost] = {};
  int above = 0;
  for (std::size_t i = 0; i < count; ++i) above = inherited[i].second >= above ? inherited[i].second + 1 : above;
  for (std::size_t i = 0; i < count; ++i) moved[i] = ::fcntl(inherited[i].first, F_DUPFD_CLOEXEC, above);
  if (const int moved_told = ::fcntl(told, F_DUPFD_CLOEXEC, above); moved_told < 0)
    fail();
  else
    told = moved_told;
  for (std::size_t i = 0; i < count; ++i)
    if (moved[i] < 0 || ::dup2(moved[i], inherited[i].second) < 0) fail();
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);  // because the program would inherit the child's signal mask
  ::execve(program.path, program.arguments, program.environment);
  fail();
  ::_exit(127);
}

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> all;
  all.reserve(texts.size() + 1);
  for (const std::string& text : texts) all.push_back(const_cast<char*>(text.c_str()));
  all.push_back(nullptr);
  return all;
}

/// Returns this process's environment with `variables` added or replaced.
std::vector<std::string> environment_with(const std::vector<std::string>& variables) {
  std::vector<std::string> all = variables;
  const auto is_replaced = [&](std::string_view here) {
    return std::ranges::any_of(variables, [&](const std::string& variable) {
      return here.starts_with(std::string_view(variable).substr(0, variable.find('=') + 1));
    });
  };
  for (char** each = ::environ; each != nullptr && *each != nullptr; ++each)
    if (!is_replaced(*each)) all.emplace_back(*each);
  return all;
}

[[noreturn]] void throw_not_started(const std::string& program, int why) {
  if (why == E2BIG)
    throw Error(ErrorCode::limit_reached, "cannot start " + program +
                                              ": its arguments and environment exceed the system's limit (a "
                                              "quarter of the stack limit, `ulimit -s`; 128 KiB for each)");
  throw Error(ErrorCode::system, "cannot start " + program + ": " + std::strerror(why));
}

}  // namespace

ChildProcess ChildProcess::start(const std::string& program, const std::vector<std::string>& arguments,
                                 const std::vector<std::pair<int, int>>& inherited,
                                 const std::vector<std::string>& variables) {
  const std::vector<char*> argv = pointers(arguments);
  const std::vector<std::string> environment = environment_with(variables);
  const std::vector<char*> envp = pointers(environment);
  int ends[2] = {-1, -1};
  if (::pipe2(ends, O_CLOEXEC) != 0) throw_errno("pipe");
  const FileDescriptor begun(ends[0]);
  FileDescriptor held_until_exec(ends[1]);
  const pid_t pid = ::fork();
  if (pid < 0 && errno == EAGAIN) throw_no_task("cannot start a process");
  if (pid < 0) throw_errno("fork");
  if (pid == 0)
    become({program.c_str(), argv.data(), envp.data()}, inherited.data(), inherited.size(), held_until_exec.get());
  // Waits until the child has called exec. Before exec, the child has the signal handlers of this program, so a signal
  // that is meant for the started program would be handled wrongly.
  held_until_exec = FileDescriptor();
  int why = 0;
  ssize_t got = 0;
  do {
    got = ::read(begun.get(), &why, sizeof why);
  } while (got < 0 && errno == EINTR);
  if (got > 0) {
    ::waitpid(pid, nullptr, 0);
    throw_not_started(program, why);
  }
  FileDescriptor handle(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  if (!handle) {
    ::kill(pid, SIGKILL);
    ::waitpid(pid, nullptr, 0);
    throw_errno("pidfd_open");
  }
  return {pid, std::move(handle)};
}

ChildProcess ChildProcess::start_again(const std::vector<std::string>& arguments,
                                       std::vector<std::pair<int, int>> inherited, std::vector<std::string> variables) {
  Successor successor;
  int number = STDERR_FILENO + 1;
  for (const auto& each : inherited) number = std::max(number, each.second + 1);
  inherited.emplace_back(successor.file(), number);
  variables.push_back(std::string(Successor::kVariable) + '=' + std::to_string(number));
  ChildProcess child = start("/proc/self/exe", arguments, inherited, variables);
  child.successor_ = std::move(successor);
  return child;
}

ChildProcess& ChildProcess::operator=(ChildProcess&& other) noexcept {
  std::swap(owner_, other.owner_);
  std::swap(pid_, other.pid_);
  std::swap(handle_, other.handle_);
  std::swap(status_, other.status_);
  std::swap(reaped_elsewhere_, other.reaped_elsewhere_);
  std::swap(successor_, other.successor_);
  return *this;
}

ChildProcess::~ChildProcess() { end(); }

bool ChildProcess::wait(std::chrono::milliseconds timeout) {
  if (!handle_ || !owner_.is_this()) return true;
  const Deadline deadline(timeout);
  do {
    if (!await_exit(deadline.left())) return false;
  } while (follow());
  reap();
  return true;
}

bool ChildProcess::has_ended() {
  if (!handle_ || !owner_.is_this()) return true;
  while (await_exit(std::chrono::milliseconds(0)))
    if (!follow()) return true;
  return false;
}

bool ChildProcess::await_exit(std::chrono::milliseconds timeout) const {
  const Deadline deadline(timeout);
  pollfd waiting{handle_.get(), POLLIN, 0};
  int ready = 0;
  do {
    ready = ::poll(&waiting, 1, static_cast<int>(std::min<std::int64_t>(deadline.left().count(), INT32_MAX)));
  } while (ready < 0 && errno == EINTR);
  return ready > 0;
}

bool ChildProcess::follow() {
  auto next = successor_ ? successor_->open() : std::nullopt;
  if (!next || next->first == pid_) return false;
  ::waitpid(pid_, nullptr, 0);
  pid_ = next->first;
  handle_ = std::move(next->second);
  return true;
}

void ChildProcess::signal(int number) {
  if (handle_ && owner_.is_this()) ::syscall(SYS_pidfd_send_signal, handle_.get(), number, nullptr, 0);
}

void ChildProcess::kill() {
  if (!end()) throw Error(ErrorCode::system, "process " + std::to_string(pid_) + " does not end after SIGKILL");
}

bool ChildProcess::end() {
  if (!handle_ || !owner_.is_this()) return true;
  do {
    signal(SIGKILL);
    if (!await_exit(kEndTimeout)) return false;
  } while (follow());
  reap();
  return true;
}

void ChildProcess::reap() {
  pid_t reaped = -1;
  do {
    reaped = ::waitpid(pid_, &status_, 0);
  } while (reaped < 0 && errno == EINTR);
  // A daemon is not this process's child, so waitpid fails. The daemon records its exit status in the memory file.
  const auto said = reaped < 0 && successor_ ? successor_->status() : std::nullopt;
  if (said) status_ = W_EXITCODE(*said, 0);
  reaped_elsewhere_ = reaped < 0 && !said;
  handle_.reset();
}

int ChildProcess::exit_status() const {
  if (handle_ || reaped_elsewhere_) return -1;
  return WIFSIGNALED(status_) ? 128 + WTERMSIG(status_) : WEXITSTATUS(status_);
}

std::string ChildProcess::how_it_ended() const {
  if (handle_) return "";
  if (reaped_elsewhere_) return "ended; another wait call of this program took its status";
  if (WIFSIGNALED(status_)) return "was ended by signal " + std::to_string(WTERMSIG(status_));
  return "ended with status " + std::to_string(WEXITSTATUS(status_));
}

}  // namespace troupe
