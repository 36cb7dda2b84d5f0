#include "runtime/fork/successor.hpp"

#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "runtime/clock.hpp"

namespace troupe {
namespace {

/// The content of the memory file. It is read and written with system calls, not mapped: an access to mapped memory
/// would crash if the other process truncated the file.
struct Record {
  std::int32_t forking = 0;  ///< 1: a fork is in progress
  std::int32_t pid = 0;      ///< process id of the last child; 0: none
  std::int32_t file = -1;    ///< number of the descriptor under which that child has the memory file
  std::int32_t ended = 0;    ///< 1: `status` is the exit status
  std::int32_t status = 0;
};

Record read_record(int file) {
  Record record;
  return ::pread(file, &record, sizeof record, 0) == sizeof record ? record : Record();
}

void write_record(int file, const Record& record) {
  // A failure is ignored. It only means that the parent cannot follow this process if it becomes a daemon.
  if (::pwrite(file, &record, sizeof record, 0) < 0) return;
}

/// What a started process knows about itself: its memory file, its process id, and whether `settle` was called. The
/// fork handlers write to the memory file until then. They only make system calls, because little else is allowed after
/// a fork.
struct Started {
  int file = -1;  ///< -1: this process was not started with a memory file
  pid_t pid = -1;
  bool settled = true;

  Started() {
    const char* const told = std::getenv(Successor::kVariable);
    const int number = told == nullptr ? -1 : std::atoi(told);
    if (number <= STDERR_FILENO || ::fcntl(number, F_SETFD, FD_CLOEXEC) != 0) return;
    file = number;
    pid = ::getpid();
    settled = false;
    ::unsetenv(Successor::kVariable);
    ::pthread_atfork([] { started().before_fork(); }, nullptr, [] { started().in_child(); });
  }

  static Started& started();

 private:
  void before_fork() const {
    if (!settled) write_record(file, {.forking = 1});
  }
  void in_child() const {
    if (!settled) write_record(file, {.pid = static_cast<std::int32_t>(::getpid()), .file = file});
  }
};

Started& Started::started() {
  static Started& self = *new Started;  // never destroyed: the process may fork at any time
  return self;
}

/// Whether this process was started with a memory file. Initialized before main, because main may fork immediately.
const bool kKnown = Started::started().file >= 0;

/// Returns whether process `pid` has the memory file open as its descriptor `number`. If so, the process is a fork of
/// the started process, and runs the same program, because exec would have closed the descriptor.
/// @param file this process's descriptor of the memory file
bool holds(pid_t pid, int number, int file) {
  struct stat theirs = {};
  struct stat ours = {};
  const std::string path = "/proc/" + std::to_string(pid) + "/fd/" + std::to_string(number);
  return ::stat(path.c_str(), &theirs) == 0 && ::fstat(file, &ours) == 0 && theirs.st_dev == ours.st_dev &&
         theirs.st_ino == ours.st_ino;
}

FileDescriptor memory_file() {
  FileDescriptor file(::memfd_create("troupe-successor", MFD_CLOEXEC));
  if (!file) throw_errno("memfd_create");
  return file;
}

}  // namespace

Successor::Successor() : file_(std::make_shared<const FileDescriptor>(memory_file())) {}

std::optional<pid_t> Successor::pid() const {
  const Record record = read_record(file());
  return record.pid > 0 ? std::optional<pid_t>(record.pid) : std::nullopt;
}

std::optional<std::pair<pid_t, FileDescriptor>> Successor::open() const {
  constexpr std::chrono::seconds kForkTimeout{1};
  const Deadline deadline(kForkTimeout);
  Record record = read_record(file());
  while (record.forking != 0 && !deadline.passed()) {
    Clock::sleep_for(std::chrono::milliseconds(1));
    record = read_record(file());
  }
  if (record.pid <= 0) return std::nullopt;
  FileDescriptor handle(static_cast<int>(::syscall(SYS_pidfd_open, record.pid, 0)));
  if (!handle || !holds(record.pid, record.file, file())) return std::nullopt;
  return std::pair(static_cast<pid_t>(record.pid), std::move(handle));
}

std::optional<int> Successor::status() const {
  const Record record = read_record(file());
  return record.ended != 0 ? std::optional(record.status) : std::nullopt;
}

void Successor::settle() { Started::started().settled = true; }

void Successor::leave_status(int status) {
  if (!kKnown) return;
  const Started& self = Started::started();
  Record record = read_record(self.file);
  record.ended = 1;
  record.status = status;
  write_record(self.file, record);
}

bool Successor::is_started_process() { return !kKnown || Started::started().pid == ::getpid(); }

}  // namespace troupe
