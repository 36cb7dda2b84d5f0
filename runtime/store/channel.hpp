#pragma once

#include <chrono>
#include <memory>

#include "runtime/file_descriptor.hpp"
#include "runtime/store/protocol.hpp"

namespace troupe::store {

/// Carries requests to a store, one at a time.
class Channel {
 public:
  Channel() = default;
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;
  virtual ~Channel() = default;

  /// @throws Error timeout if no reply arrives, store_failed if the store has ended.
  virtual Reply call(const Request& request, std::chrono::milliseconds timeout, FileDescriptor& file) = 0;
};

/// Makes a channel over one end of a socket pair whose other end a store serves.
std::unique_ptr<Channel> make_socket_channel(FileDescriptor socket);

}  // namespace troupe::store
