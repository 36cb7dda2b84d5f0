#pragma once

#include <sys/types.h>

#include <set>
#include <string>
#include <vector>

#include "runtime/file_descriptor.hpp"

namespace troupe_test {

std::vector<pid_t> children_of(pid_t parent);

/// Inodes of the IPv4 and IPv6 sockets, TCP and UDP, that the process has open.
std::set<std::string> inet_sockets_of(pid_t pid);

/// Sees the end of a process that need not be a child.
class Watch {
 public:
  explicit Watch(pid_t pid);
  /// Waits for it; false when it does not come.
  bool ends() const;

 private:
  troupe::FileDescriptor handle_;  ///< pidfd; none when the process is gone already
};

}  // namespace troupe_test
