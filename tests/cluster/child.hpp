#pragma once

#include <sys/types.h>

#include <chrono>
#include <string>
#include <vector>

#include "support/patience.hpp"

namespace troupe_test {

/// A program as a child in a process group of its own, all of which is killed with this object. What it prints goes to
/// files, so that nobody has to read while it runs.
class Child {
 public:
  /// Starts `command` in the network namespace of the calling thread; `logs` is the beginning of the files' names.
  Child(std::vector<std::string> command, std::string logs);
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child();

  pid_t pid() const { return pid_; }
  /// To the whole group.
  void signal(int number) const;
  /// The exit status, or minus the signal that ended it. @throws std::runtime_error when it has not ended in time
  int wait(std::chrono::milliseconds timeout = kPatience);
  std::string out() const;
  std::string err() const;
  /// Waits until standard error holds `text`.
  bool says(const std::string& text, std::chrono::milliseconds timeout = kPatience) const;

 private:
  pid_t pid_ = -1;
  std::string logs_;
};

/// Asks every few milliseconds until it holds. False when time ran out before.
template <class Condition>
bool comes_true(Condition condition, std::chrono::milliseconds timeout);

/// Resident memory in bytes; 0 for a process that is gone.
std::size_t resident_bytes(pid_t pid);

}  // namespace troupe_test

#include <thread>

template <class Condition>
bool troupe_test::comes_true(Condition condition, std::chrono::milliseconds timeout) {
  const auto until = std::chrono::steady_clock::now() + timeout;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > until) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}
