#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/file_descriptor.hpp"
#include "runtime/fork/owning_process.hpp"
#include "runtime/fork/successor.hpp"

namespace troupe {

/// A child that is killed, and waited for, when its owner goes. Only the process that started it may do so: in a child
/// that this process forks, nothing happens to it.
class ChildProcess {
 public:
  /// Starts `program` with `arguments` (the first is its own name). Each of `inherited` stays open in the child under
  /// the number given beside it. Its environment is this process's and, in place of those of the same names,
  /// `variables`
  /// ("NAME=value"). @throws Error limit_reached where the system takes no arguments and environment so long, or
  /// system, such as for a program that is not there
  static ChildProcess start(const std::string& program, const std::vector<std::string>& arguments,
                            const std::vector<std::pair<int, int>>& inherited,
                            const std::vector<std::string>& variables = {});

  /// Starts this program again, in the same way. Where it becomes a daemon before `troupe::init`, the process that goes
  /// on in its place is the child from then on.
  static ChildProcess start_again(const std::vector<std::string>& arguments, std::vector<std::pair<int, int>> inherited,
                                  std::vector<std::string> variables);

  ChildProcess(ChildProcess&&) noexcept = default;
  ChildProcess& operator=(ChildProcess&&) noexcept;
  ~ChildProcess();

  pid_t pid() const { return pid_; }
  /// The process that may go on in the child's place; none for other programs.
  const std::optional<Successor>& successor() const { return successor_; }
  /// Whether the child has ended by itself. It is not reaped by that.
  bool has_ended();
  /// Waits at most so long for the child to end by itself. True when it has ended, and then it is reaped.
  bool wait(std::chrono::milliseconds timeout);
  /// Kills the child through its pidfd and reaps it. When this returns, it writes nowhere any more. @throws Error
  /// system for one that the kernel does not end in time, such as one that waits for a dead disk
  void kill();
  /// Sends a signal while it runs.
  void signal(int number);
  /// As a shell tells it: the status it ended with, 128 and the number of the signal that ended it, or -1 while it runs
  /// or when another wait of this program took its status.
  int exit_status() const;
  /// Such as "ended with status 3" or "was ended by signal 9"; empty while it runs.
  std::string how_it_ended() const;

 private:
  /// False for one that the kernel does not end in time.
  bool end();
  /// Waits for the process without following who goes on in its place.
  bool await_exit(std::chrono::milliseconds timeout) const;
  /// After the process has exited: makes its successor the child. Returns false if there is none.
  bool follow();
  ChildProcess(pid_t pid, FileDescriptor handle) : pid_(pid), handle_(std::move(handle)) {}
  void reap();

  OwningProcess owner_;
  pid_t pid_ = -1;
  FileDescriptor handle_;  ///< pidfd; closed once the child is reaped
  int status_ = 0;
  bool reaped_elsewhere_ = false;
  std::optional<Successor> successor_;
};

}  // namespace troupe
