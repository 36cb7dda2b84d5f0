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

/// A child process. The destructor kills the child and waits for its end. In a forked copy of the process that started
/// the child, the destructor has no effect.
class ChildProcess {
 public:
  /// Starts `program`, the path of an executable file, and returns once it runs.
  /// @param arguments all arguments; the first is the program's own name
  /// @param inherited pairs of an open descriptor of this process and the number under which the child has it; at most
  /// 8
  /// @param variables "NAME=value": added to this process's environment, or replaced in it, for the child
  /// @throws Error limit_reached if the arguments and environment are longer than the system allows, or a limit
  /// prevents another process; system for other failures, such as a program that does not exist
  static ChildProcess start(const std::string& program, const std::vector<std::string>& arguments,
                            const std::vector<std::pair<int, int>>& inherited,
                            const std::vector<std::string>& variables = {});

  /// Starts this program again, with the same parameters as `start`. If the child becomes a daemon before it calls
  /// `troupe::init`, this object follows it: the daemon process counts as the child.
  static ChildProcess start_again(const std::vector<std::string>& arguments, std::vector<std::pair<int, int>> inherited,
                                  std::vector<std::string> variables);

  ChildProcess(ChildProcess&&) noexcept = default;
  ChildProcess& operator=(ChildProcess&&) noexcept;
  ~ChildProcess();

  pid_t pid() const { return pid_; }
  /// Returns the object that follows the child if it becomes a daemon. None if the child was not started by
  /// `start_again`.
  const std::optional<Successor>& successor() const { return successor_; }
  /// Returns whether the child has ended. The child is not reaped (its exit status is not collected).
  bool has_ended();
  /// Waits at most `timeout` for the child to end. Returns true if the child has ended; the child is then reaped.
  bool wait(std::chrono::milliseconds timeout);
  /// Kills the child with SIGKILL and reaps it. Once this returns, the child no longer writes to any file or memory.
  /// @throws Error system if the child does not end in 10 seconds, for example because it waits for a disk that does
  /// not respond
  void kill();
  /// Sends the signal `number` if the child is running.
  void signal(int number);
  /// Returns the exit status as a shell does: the child's own status, or 128 plus the number of the signal that ended
  /// it. Returns -1 while the child is not reaped, or if other code of this program has reaped it.
  int exit_status() const;
  /// Returns a text such as "ended with status 3" or "was ended by signal 9". Returns an empty text while the child is
  /// not reaped.
  std::string how_it_ended() const;

 private:
  /// Kills and reaps the child. Returns false if it does not end in time.
  bool end();
  /// Waits for the process `pid_` to exit, and does not follow a successor. Returns whether the process has exited.
  bool await_exit(std::chrono::milliseconds timeout) const;
  /// Call this after the process `pid_` has exited. If it has become a daemon, makes the daemon process the child and
  /// returns true; otherwise returns false.
  bool follow();
  ChildProcess(pid_t pid, FileDescriptor handle) : pid_(pid), handle_(std::move(handle)) {}
  void reap();

  OwningProcess owner_;
  pid_t pid_ = -1;
  FileDescriptor handle_;          ///< pidfd of the child; closed once the child is reaped
  int status_ = 0;                 ///< in the format of waitpid
  bool reaped_elsewhere_ = false;  ///< other code of this program took the status
  std::optional<Successor> successor_;
};

}  // namespace troupe
