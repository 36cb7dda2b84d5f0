#pragma once

#include <doctest/doctest.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

namespace troupe_test {

/// Prints why the current test is skipped.
inline void skipped(const std::string& why) { MESSAGE("skipped: ", why); }

/// A cgroup for one test, of version 1 or 2. The destructor kills the processes in the cgroup.
class ControlGroup {
 public:
  /// @param limit a file that the cgroup must have, such as "pids.max". If no such cgroup can be created, made()
  /// returns false.
  ControlGroup(const std::string& controller, const std::string& limit) {
    for (const std::string& parent : {"/sys/fs/cgroup/" + controller, std::string("/sys/fs/cgroup")}) {
      std::string name = parent + "/troupe-test-XXXXXX";
      if (::mkdtemp(name.data()) == nullptr) continue;
      folder_ = name;
      if (std::ifstream(folder_ + "/" + limit)) return;
      ::rmdir(folder_.c_str());
      folder_.clear();
    }
  }
  ~ControlGroup() {
    if (!made()) return;
    for (const pid_t pid : members()) ::kill(pid, SIGKILL);
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (::rmdir(folder_.c_str()) != 0 && std::chrono::steady_clock::now() < until) std::this_thread::yield();
  }
  ControlGroup(const ControlGroup&) = delete;
  ControlGroup& operator=(const ControlGroup&) = delete;

  bool made() const { return !folder_.empty(); }
  const std::string& folder() const { return folder_; }
  void set(const std::string& file, std::uint64_t value) const { std::ofstream(folder_ + "/" + file) << value; }
  std::vector<pid_t> members() const {
    std::ifstream file(folder_ + "/cgroup.procs");
    std::vector<pid_t> pids;
    for (pid_t pid = 0; file >> pid;) pids.push_back(pid);
    return pids;
  }
  /// Returns a function that moves the calling process into the cgroup. The function makes system calls only, so a
  /// forked child may call it.
  auto entry() const {
    return [file = folder_ + "/cgroup.procs"] {
      const int fd = ::open(file.c_str(), O_WRONLY | O_CLOEXEC);
      if (::write(fd, "0", 1) != 1) ::_exit(125);
      ::close(fd);
    };
  }

 private:
  std::string folder_;
};

/// A cgroup that limits the total memory of its processes to the given number of bytes.
class MemoryGroup {
 public:
  explicit MemoryGroup(std::uint64_t bytes) {
    if (made()) group().set(version_1_.made() ? "memory.limit_in_bytes" : "memory.max", bytes);
  }

  bool made() const { return group().made(); }
  const std::string& folder() const { return group().folder(); }
  auto entry() const { return group().entry(); }

 private:
  const ControlGroup& group() const { return version_1_.made() ? version_1_ : version_2_; }

  ControlGroup version_1_{"memory", "memory.limit_in_bytes"};
  ControlGroup version_2_{"memory", "memory.max"};
};

}  // namespace troupe_test
