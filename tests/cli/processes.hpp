#pragma once

#include <sys/types.h>

#include <set>
#include <string>
#include <vector>

#include "runtime/file_descriptor.hpp"

namespace troupe_test {

std::vector<pid_t> children_of(pid_t parent);

/// Returns the inodes of the IPv4 and IPv6 sockets (TCP and UDP) that the process has open.
std::set<std::string> inet_sockets_of(pid_t pid);

/// Detects the end of a process, which need not be a child.
class Watch {
 public:
  explicit Watch(pid_t pid);
  /// Waits for the end of the process. Returns false on timeout.
  bool ends() const;

 private:
  troupe::FileDescriptor handle_;  ///< pidfd; invalid if the process had already ended
};

}  // namespace troupe_test
