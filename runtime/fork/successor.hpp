#pragma once

#include <sys/types.h>

#include <memory>
#include <optional>

#include "runtime/file_descriptor.hpp"

namespace troupe {

/// How a process follows one that it has started and that becomes a daemon: the started process forks and ends, and its
/// child goes on in its place. Both share a memory file; when the started process forks, its child writes there which
/// process it is.
class Successor {
 public:
  /// Names the descriptor of the file in the environment of the started process.
  static constexpr const char* kVariable = "TROUPE_SUCCESSOR";

  /// Makes the file. @throws Error system or limit_reached
  Successor();

  int file() const { return file_->get(); }
  /// Returns the process that was forked last; none before the first fork. Thread-safe.
  std::optional<pid_t> pid() const;
  /// The same, but waits for a fork that is under way. @returns a handle (pidfd), empty for a process that has ended or
  /// is another program
  std::optional<std::pair<pid_t, FileDescriptor>> open() const;
  /// The status that the process said it ends with; none where it said nothing.
  std::optional<int> status() const;

  // In the started process, where all of this does nothing in others:

  /// What it forks from now on does not go on in its place.
  static void settle();
  static void leave_status(int status);
  /// False in a child that goes on in the place of the started process.
  static bool is_started_process();

 private:
  std::shared_ptr<const FileDescriptor> file_;
};

}  // namespace troupe
