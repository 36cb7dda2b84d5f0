#pragma once

#include <string>
#include <utility>

#include "runtime/file_descriptor.hpp"
#include "runtime/store/store_client.hpp"

namespace troupe::bench {

/// A socket between two processes that set up something else between them.
class EndLink {
 public:
  explicit EndLink(FileDescriptor socket) : socket_(std::move(socket)) {}

  /// A line; no end hears anything but what the other says. @throws Error system where the other one has gone
  void say(const std::string& line);
  std::string hear();
  /// Returns when the other one has come here, too.
  void meet();

 private:
  FileDescriptor socket_;
};

/// Two ends of a link.
std::pair<FileDescriptor, FileDescriptor> make_link();

}  // namespace troupe::bench
