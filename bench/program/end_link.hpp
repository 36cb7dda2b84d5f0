#pragma once

#include <string>
#include <utility>

#include "runtime/file_descriptor.hpp"
#include "runtime/store/store_client.hpp"

namespace troupe::bench {

/// A socket between two processes, through which they set up a measurement.
class EndLink {
 public:
  explicit EndLink(FileDescriptor socket) : socket_(std::move(socket)) {}

  /// Sends a line. Each end receives the lines of the other end only. @throws Error system if the other end is closed
  void say(const std::string& line);
  std::string hear();
  /// Blocks until the other end has called `meet` as well.
  void meet();

 private:
  FileDescriptor socket_;
};

/// Returns the two ends of a new link.
std::pair<FileDescriptor, FileDescriptor> make_link();

}  // namespace troupe::bench
