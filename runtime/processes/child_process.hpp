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
  /// @param inherited the descriptors that the child inherits, at most 8: pairs of an open descriptor of this process
  /// and the descriptor's number in the child
  /// @param variables environment variables "NAME=value". The child has this process's environment, in which these
  /// variables are added or replaced.
  /// @throws Error limit_reached if the arguments and environment are longer than the system allows, or a limit
  /// prevents another process; system for other failures, such as a program that does not exist
  static ChildProcess start(const std::string& program, const std::vector<std::string>& arguments,
                            const std::vector<std::pair<int, int>>& inherited,
                            const std::vector<std::string>& variables = {});

  /// Starts this program again as a child. The parameters are those of `start`. If the child becomes a daemon before it
  /// calls `troupe::init`, the daemon process counts as the child from then on.
  static ChildProcess start_again(const std::vector<std::string>& arguments, std::vector<std::pair<int, int>> inherited,
                                  std::vector<std::string> variables);

  ChildProcess(ChildProcess&&) noexcept = default;
  ChildProcess& operator=(ChildProcess&&) noexcept;
  ~ChildProcess();

  pid_t pid() const { return pid_; }
  /// Returns the object that follows the child if the child becomes a daemon; none if the child was not started by
  /// `start_again`.
  const std::optional<Successor>& successor() const { return successor_; }
  /// Returns whether the child has ended. Does not reap the child (does not collect its exit status).
  bool has_ended();
  /// Waits at most `timeout` for the child to end. If the child has ended, reaps it (collects its exit status) and
  /// returns true; otherwise returns false.
  bool wait(std::chrono::milliseconds timeout);
  /// Kills the child with SIGKILL and reaps it. Once this returns, the child no longer writes to any file or memory.
  /// @throws Error system if the child does not end in 10 seconds, for example because it waits for a disk that does
  /// not respond
  void kill();
  /// Sends the signal `number` if the child is running.
  void signal(int number);
  /// Returns the child's exit status in the form that a shell shows: the child's own status, or 128 plus the number of
  /// the signal that ended the child. Returns -1 while the child is not reaped, or if other code of this program has
  /// reaped the child.
  int exit_status() const;
  /// Returns a text such as "ended with status 3" or "was ended by signal 9". Returns an empty text while the child is
  /// not reaped.
  std::string how_it_ended() const;

 private:
  /// Kills and reaps the child. Returns false if the child does not end within 10 seconds.
  bool end();
  /// Waits for the process `pid_` to exit, and does not follow a successor. Returns whether the process has exited.
  bool await_exit(std::chrono::milliseconds timeout) const;
  /// Must be called after the process `pid_` has exited. If that process has become a daemon, makes the daemon process
  /// the child (sets `pid_` and `handle_`) and returns true. Otherwise returns false.
  bool follow();
  ChildProcess(pid_t pid, FileDescriptor handle) : pid_(pid), handle_(std::move(handle)) {}
  void reap();

  OwningProcess owner_;
  pid_t pid_ = -1;
  FileDescriptor handle_;          ///< pidfd of the child; closed once the child is reaped
  int status_ = 0;                 ///< in the format of waitpid
  bool reaped_elsewhere_ = false;  ///< other code of this program has collected the exit status
  std::optional<Successor> successor_;
};

}  // namespace troupe
