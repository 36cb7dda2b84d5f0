#pragma once

#include <string>

#include "runtime/file_descriptor.hpp"
#include "runtime/fork/owning_process.hpp"

namespace troupe {

/// Creates a folder for a socket, which only this user can enter. The destructor removes the folder. If the process is
/// killed before, the next SocketFolder of this user removes the folder: it recognizes such a folder because no process
/// holds the folder's lock.
class SocketFolder {
 public:
  /// Removes folders of killed processes, and creates the folder in the system's folder for temporary files.
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
