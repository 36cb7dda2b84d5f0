#pragma once

#include <chrono>
#include <memory>

#include "runtime/file_descriptor.hpp"
#include "runtime/store/protocol.hpp"

namespace troupe::store {

/// A connection to an object store, which carries one request at a time.
class Channel {
 public:
  Channel() = default;
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;
  virtual ~Channel() = default;

  /// Sends a request, and returns the reply. `file` is set to the descriptor that came with the reply, if any.
  /// @throws Error timeout if no reply arrives in `timeout`; store_failed if the store has ended
  virtual Reply call(const Request& request, std::chrono::milliseconds timeout, FileDescriptor& file) = 0;
};

/// Makes a channel from one end of a socket pair. A store serves the other end.
std::unique_ptr<Channel> make_socket_channel(FileDescriptor socket);

}  // namespace troupe::store
