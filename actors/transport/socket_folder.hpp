#pragma once

#include <string>

#include "runtime/file_descriptor.hpp"
#include "runtime/fork/owning_process.hpp"

namespace troupe {

/// A folder for a socket, which only this user can enter. The constructor creates the folder, and the destructor
/// removes it. If the process is killed, its folder remains, until this user creates the next SocketFolder, which
/// removes all folders whose lock no process holds.
class SocketFolder {
 public:
  /// Removes the remaining folders of killed processes, and creates a new folder in the system's folder for temporary
  /// files.
  /// @param socket the name that the caller gives to the socket in the folder, beginning with "/"
  /// @throws Error system if the folder cannot be created
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
