#pragma once

#include <sys/types.h>

#include <condition_variable>
#include <mutex>
#include <thread>

#include "runtime/file_descriptor.hpp"

namespace troupe {

/// Slows down a process of this machine: a thread stops and continues the process in turns (SIGSTOP and SIGCONT), until
/// this object is destroyed or the process ends.
class SlowedProcess {
 public:
  static constexpr int kMostFactor = 100;

  /// Starts to slow the process down.
  /// @param pid the id of a process that has not been reaped
  /// @param factor 2 to kMostFactor: the process runs for 5 ms, and is then stopped for 5 ms times `factor` - 1
  /// @throws Error system or limit_reached
  SlowedProcess(pid_t pid, int factor);
  /// Lets the process run at full speed again.
  ~SlowedProcess();
  SlowedProcess(const SlowedProcess&) = delete;
  SlowedProcess& operator=(const SlowedProcess&) = delete;

 private:
  /// Stops and continues the process, until it ends or this object is destroyed.
  void run(int factor);
  /// Sends a signal to the process. Returns false if the process has ended.
  bool signal(int number) const;

  FileDescriptor process_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool done_ = false;
  std::thread thread_;
};

}  // namespace troupe
