#pragma once

#include <sys/types.h>

#include <memory>
#include <optional>
#include <utility>

#include "runtime/file_descriptor.hpp"

namespace troupe {

/// Follows a started process that becomes a daemon: it forks and exits, and its child continues. The two processes and
/// the one that started them share a memory file. After each fork the child writes its process id to the file.
class Successor {
 public:
  /// The environment variable that contains the file's descriptor in the started process.
  static constexpr const char* kVariable = "TROUPE_SUCCESSOR";

  /// Makes the file. @throws Error system or limit_reached
  Successor();

  int file() const { return file_->get(); }
  /// Returns the process id of the last fork; none before the first fork. Thread-safe.
  std::optional<pid_t> pid() const;
  /// Waits for a fork that is in progress, then returns the process id of the last fork and a pidfd. Returns none if
  /// that process has exited or runs another program.
  std::optional<std::pair<pid_t, FileDescriptor>> open() const;
  /// Returns the exit status that the process recorded; none if it recorded none.
  std::optional<int> status() const;

  // For the started process; these have no effect in other processes.

  /// Ends the recording of forks.
  static void settle();
  /// Records the exit status.
  static void leave_status(int status);
  /// Returns false in a child that the started process forked.
  static bool is_started_process();

 private:
  std::shared_ptr<const FileDescriptor> file_;
};

}  // namespace troupe
