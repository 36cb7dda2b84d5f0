#pragma once

#include <sys/types.h>

#include <condition_variable>
#include <mutex>
#include <thread>

#include "runtime/file_descriptor.hpp"

namespace troupe {

/// Lets a process of this machine run only a part of the time, as on a slower machine: stops it and lets it go on in
/// turns, until this object goes or the process ends.
class SlowedProcess {
 public:
  static constexpr int kMostFactor = 100;

  /// @param pid of a process that is not reaped yet
  /// @param factor 2 to kMostFactor; with 10 it runs a tenth of the time
  /// @throws Error system or limit_reached
  SlowedProcess(pid_t pid, int factor);
  /// It goes on at its own speed.
  ~SlowedProcess();
  SlowedProcess(const SlowedProcess&) = delete;
  SlowedProcess& operator=(const SlowedProcess&) = delete;

 private:
  void run(int factor);
  /// False once the process has ended.
  bool signal(int number) const;

  FileDescriptor process_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool done_ = false;
  std::thread thread_;
};

}  // namespace troupe
