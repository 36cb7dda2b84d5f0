#pragma once

#include <sys/types.h>

#include <memory>
#include <optional>
#include <utility>

#include "runtime/file_descriptor.hpp"

namespace troupe {

/// Follows a process that this process has started, if that process becomes a daemon. To become a daemon, the started
/// process forks and exits, and its child continues. This process and the started process share a memory file. After
/// each fork, the new child writes its process id to the memory file.
class Successor {
 public:
  /// The name of an environment variable of the started process. Its value is the number of the descriptor under which
  /// the started process has the memory file.
  static constexpr const char* kVariable = "TROUPE_SUCCESSOR";

  /// Makes the memory file. @throws Error system or limit_reached
  Successor();

  /// Returns the descriptor of the memory file, which the started process must inherit.
  int file() const { return file_->get(); }
  /// Returns the process id of the last forked child; none before the first fork. Thread-safe.
  std::optional<pid_t> pid() const;
  /// Returns the process id and a pidfd of the last forked child. If a fork is in progress, first waits for its end, at
  /// most one second. Returns none if there was no fork, or the child has exited or runs another program.
  std::optional<std::pair<pid_t, FileDescriptor>> open() const;
  /// Returns the exit status that the followed process has recorded with `leave_status`; none if it has recorded none.
  std::optional<int> status() const;

  // The following functions are for the started process. In other processes they have no effect.

  /// Ends the recording of forks. Children that the calling process forks later are not followed.
  static void settle();
  /// Records the exit status with which the calling process is about to end. `status` returns it.
  static void leave_status(int status);
  /// Returns whether the calling process is the started process itself. Returns false in a child that the started
  /// process has forked. Also returns true in a process without a memory file.
  static bool is_started_process();

 private:
  std::shared_ptr<const FileDescriptor> file_;
};

}  // namespace troupe
