#pragma once

#include <sys/types.h>

#include <chrono>
#include <string>
#include <vector>

#include "support/patience.hpp"

namespace troupe_test {

/// Runs a program as a child in its own process group. The destructor kills the group. Output goes to files, so that
/// the program never blocks on a pipe.
class Child {
 public:
  /// Starts `command` in the network namespace of the calling thread; `logs` is the prefix of the names of the output
  /// files.
  Child(std::vector<std::string> command, std::string logs);
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child();

  pid_t pid() const { return pid_; }
  /// Sends a signal to the whole group.
  void signal(int number) const;
  /// Returns the exit status, or minus the signal that ended the program. @throws std::runtime_error on timeout
  int wait(std::chrono::milliseconds timeout = kPatience);
  std::string out() const;
  std::string err() const;
  /// Waits until standard error contains `text`. Returns false on timeout.
  bool says(const std::string& text, std::chrono::milliseconds timeout = kPatience) const;

 private:
  pid_t pid_ = -1;
  std::string logs_;
};

/// Returns the resident memory in bytes, or 0 if the process no longer exists.
std::size_t resident_bytes(pid_t pid);

}  // namespace troupe_test
