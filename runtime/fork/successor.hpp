#pragma once

#include <sys/types.h>

#include <memory>
#include <optional>
#include <utility>

#include "runtime/file_descriptor.hpp"

namespace troupe {

/// Follows a process that this process has started and that becomes a daemon: the started process forks and exits, and
/// its child continues. This process and the started one share a memory file. After each fork, the new child writes its
/// process id to the file.
class Successor {
 public:
  /// The environment variable through which the started process learns the number of the file's descriptor.
  static constexpr const char* kVariable = "TROUPE_SUCCESSOR";

  /// Makes the memory file. @throws Error system or limit_reached
  Successor();

  /// Returns the descriptor of the memory file, which the started process must inherit.
  int file() const { return file_->get(); }
  /// Returns the process id of the last forked child; none before the first fork. Thread-safe.
  std::optional<pid_t> pid() const;
  /// Returns the process id of the last forked child, and a pidfd of it. If a fork is in progress, first waits for its
  /// end, at most one second. Returns none if the child has exited or runs another program.
  std::optional<std::pair<pid_t, FileDescriptor>> open() const;
  /// Returns the exit status that the followed process recorded; none if it recorded none.
  std::optional<int> status() const;

  // The started process calls the following functions. In other processes they have no effect.

  /// Ends the recording of forks: children that are forked later are not followed.
  static void settle();
  /// Records the exit status of the calling process, for `status`.
  static void leave_status(int status);
  /// Returns false in a child that the started process forked, and true otherwise.
  static bool is_started_process();

 private:
  std::shared_ptr<const FileDescriptor> file_;
};

}  // namespace troupe
