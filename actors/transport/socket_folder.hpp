#pragma once

#include <string>

#include "runtime/file_descriptor.hpp"
#include "runtime/fork/owning_process.hpp"

namespace troupe {

/// A folder for a socket that only this user can enter. It is removed with this object. If the process was killed, the
/// next SocketFolder removes the folder, because no process holds its lock.
class SocketFolder {
 public:
  /// Creates the folder in the folder for temporary files.
  /// @param socket name of the socket in the folder
  /// @throws Error system
  explicit SocketFolder(const std::string& socket);
  SocketFolder(const SocketFolder&) = delete;
  SocketFolder& operator=(const SocketFolder&) = delete;
  ~SocketFolder();

  const std::string& path() const { return path_; }

 private:
  OwningProcess owner_;
  std::string path_;
  FileDescriptor lock_;
};

}  // namespace troupe
