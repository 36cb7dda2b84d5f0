#pragma once

#include <string>

#include "runtime/file_descriptor.hpp"
#include "runtime/fork/owning_process.hpp"

namespace troupe {

/// A folder for a socket that only this user can enter. It goes with this object. One whose process was killed is
/// removed when the next one is made: nobody holds its lock.
class SocketFolder {
 public:
  /// In the folder for temporary files. @param socket name of what it is for. @throws Error system
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
