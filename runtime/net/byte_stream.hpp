#pragma once

#include <cstddef>
#include <span>

#include "runtime/clock.hpp"

namespace troupe {

/// A non-blocking connection that carries bytes. Not thread-safe.
class ByteStream {
 public:
  /// The event for which the caller must wait before it repeats a non-blocking call: the socket becomes readable
  /// (`read`) or writable (`write`). `nothing`: the call is complete. `closed`: the connection has ended.
  enum class Wants : unsigned char { nothing, read, write, closed };
  struct Progress {
    std::size_t bytes = 0;         ///< number of bytes read or written by this call
    Wants wants = Wants::nothing;  ///< the event for which the caller must wait before the next call
  };

  ByteStream() = default;
  virtual ~ByteStream() = default;

  /// Reads bytes until `into` is full, or no more bytes are available without blocking. `wants` of the result is
  /// `closed` if the peer has ended the connection, or the connection broke.
  /// @throws Error protocol for other errors
  virtual Progress read_some(std::span<std::byte> into) = 0;
  /// Writes bytes until all of `bytes` are written, or the socket takes no more without blocking. The result has the
  /// number of bytes that are certainly written. If its `wants` is not `nothing`, the caller must wait for this event,
  /// and then call again with all bytes after the written ones.
  /// @param more true: the caller will write other bytes immediately afterwards, so the stream may keep the last bytes
  /// in a buffer until then
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

/// Blocks until the socket `fd` is ready for the event `wants` (`read` or `write`), or its connection is broken.
/// @throws Error timeout if `deadline` passes first
void wait_for(int fd, ByteStream::Wants wants, const Deadline& deadline);

}  // namespace troupe
