#pragma once

#include <sys/types.h>

#include <condition_variable>
#include <mutex>
#include <thread>

#include "runtime/file_descriptor.hpp"

namespace troupe {

/// Slows down a process of this machine by stopping and continuing it in turns, until this object is destroyed or the
/// process ends.
class SlowedProcess {
 public:
  static constexpr int kMostFactor = 100;

  /// @param pid a process that has not been reaped yet
  /// @param factor 2 to kMostFactor; with 10 it runs a tenth of the time
  /// @throws Error system or limit_reached
  SlowedProcess(pid_t pid, int factor);
  /// Lets the process run at full speed again.
  ~SlowedProcess();
  SlowedProcess(const SlowedProcess&) = delete;
  SlowedProcess& operator=(const SlowedProcess&) = delete;

 private:
  void run(int factor);
  /// Returns false once the process has ended.
  bool signal(int number) const;

  FileDescriptor process_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool done_ = false;
  std::thread thread_;
};

}  // namespace troupe
