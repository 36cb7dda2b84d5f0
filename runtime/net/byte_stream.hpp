#pragma once

#include <cstddef>
#include <span>

#include "runtime/clock.hpp"

namespace troupe {

/// A non-blocking connection that carries bytes. Not thread-safe.
class ByteStream {
 public:
  /// The event to wait for before a non-blocking call is repeated. `nothing`: the call is complete. `closed`: the
  /// connection has ended.
  enum class Wants : unsigned char { nothing, read, write, closed };
  struct Progress {
    std::size_t bytes = 0;         ///< number of bytes read or written by this call
    Wants wants = Wants::nothing;  ///< the event to wait for before the next call
  };

  ByteStream() = default;
  virtual ~ByteStream() = default;

  /// Reads until `into` is full, or no more bytes are available. Returns `closed` if the peer has ended the connection,
  /// or the connection broke. @throws Error protocol for other errors
  virtual Progress read_some(std::span<std::byte> into) = 0;
  /// Writes until all bytes are written, or the socket takes no more. After `Wants::write`, wait for the socket, and
  /// call again with all of the bytes that are not yet written.
  /// @param more whether the caller writes other bytes immediately afterwards. Then the last packet may wait for them.
  virtual Progress write_some(std::span<const std::byte> bytes, bool more = false) = 0;
  /// Returns the socket's descriptor, for polling.
  virtual int fd() const = 0;

  /// Blocks until `into` is full. @throws Error timeout, or worker_lost if the connection ends
  void read_all(std::span<std::byte> into, const Deadline& deadline);
  /// Blocks until all bytes are written. @param more as in `write_some`. @throws Error as `read_all`
  void write_all(std::span<const std::byte> bytes, const Deadline& deadline, bool more = false);

 protected:
  ByteStream(ByteStream&&) = default;
  ByteStream& operator=(ByteStream&&) = default;
};

/// Blocks until the socket is ready to read or write, as `wants` tells, or is broken. @throws Error timeout
void wait_for(int fd, ByteStream::Wants wants, const Deadline& deadline);

}  // namespace troupe
