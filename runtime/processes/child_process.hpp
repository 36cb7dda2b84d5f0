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

/// A child process. The destructor kills it and waits for its end. Only the process that started the child does so: in
/// a forked copy of that process, the destructor has no effect.
class ChildProcess {
 public:
  /// Starts `program` with `arguments` (the first is the program's own name). Each descriptor of `inherited` stays open
  /// in the child, under the number in the same pair. The child's environment is this process's environment with
  /// `variables` ("NAME=value") added or replaced.
  /// @throws Error limit_reached if the arguments and environment are longer than the system allows; system for other
  /// failures, such as a program that does not exist
  static ChildProcess start(const std::string& program, const std::vector<std::string>& arguments,
                            const std::vector<std::pair<int, int>>& inherited,
                            const std::vector<std::string>& variables = {});

  /// Starts this program again, in the same way. If it becomes a daemon before `troupe::init`, the process that
  /// replaces it is the child from then on.
  static ChildProcess start_again(const std::vector<std::string>& arguments, std::vector<std::pair<int, int>> inherited,
                                  std::vector<std::string> variables);

  ChildProcess(ChildProcess&&) noexcept = default;
  ChildProcess& operator=(ChildProcess&&) noexcept;
  ~ChildProcess();

  pid_t pid() const { return pid_; }
  /// Follows the child if it becomes a daemon; none for other programs.
  const std::optional<Successor>& successor() const { return successor_; }
  /// Returns whether the child has ended. Does not reap the child.
  bool has_ended();
  /// Waits at most `timeout` for the child to end. Returns true if the child has ended; the child is then reaped.
  bool wait(std::chrono::milliseconds timeout);
  /// Kills the child through its pidfd and reaps it. Once this returns, the child no longer writes anywhere.
  /// @throws Error system if the child does not end in time, for example because it waits for a disk that does not
  /// respond
  void kill();
  /// Sends a signal if the child is running.
  void signal(int number);
  /// Returns the exit status as a shell does: the child's own status, or 128 plus the number of the signal that ended
  /// it. Returns -1 while the child runs, or if another wait call of this program took its status.
  int exit_status() const;
  /// Returns a text such as "ended with status 3" or "was ended by signal 9"; empty while the child runs.
  std::string how_it_ended() const;

 private:
  /// Kills and reaps the child. Returns false if it does not end in time.
  bool end();
  /// Waits for this process to exit, without following a successor.
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
