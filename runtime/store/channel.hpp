#pragma once

#include <chrono>
#include <memory>

#include "runtime/file_descriptor.hpp"
#include "runtime/store/protocol.hpp"

namespace troupe::store {

/// A connection of a client to an object store. The connection carries one request at a time.
class Channel {
 public:
  Channel() = default;
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;
  virtual ~Channel() = default;

  /// Sends a request to the store, waits for the reply, and returns the reply.
  /// @param file set to the descriptor that came with the reply, if any
  /// @throws Error timeout if no reply arrives within `timeout`; store_failed if the store has ended
  virtual Reply call(const Request& request, std::chrono::milliseconds timeout, FileDescriptor& file) = 0;
};

/// Makes a channel to a store in another process.
/// @param socket one end of a socket pair, whose other end the store serves (see `ObjectStore::connect_process`)
std::unique_ptr<Channel> make_socket_channel(FileDescriptor socket);

}  // namespace troupe::store
