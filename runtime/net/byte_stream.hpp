#pragma once

#include <cstddef>
#include <span>

#include "runtime/clock.hpp"

namespace troupe {

/// A non-blocking connection that carries bytes. Not thread-safe.
class ByteStream {
 public:
  /// What a non-blocking call must wait for before it can continue.
  enum class Wants : unsigned char { nothing, read, write, closed };
  struct Progress {
    std::size_t bytes = 0;
    Wants wants = Wants::nothing;  ///< the event to wait for before the next call; closed: the connection has ended
  };

  ByteStream() = default;
  virtual ~ByteStream() = default;

  /// Reads until `into` is full, or no more bytes are available. @throws Error protocol for all errors except an
  /// orderly end and a broken connection, which both return `closed`.
  virtual Progress read_some(std::span<std::byte> into) = 0;
  /// Writes until all bytes are written, or the socket takes no more. After `Wants::write`, call again with all of the
  /// remaining bytes.
  /// @param more whether other bytes follow at once, so that the last packet may wait for them.
  virtual Progress write_some(std::span<const std::byte> bytes, bool more = false) = 0;
  /// The socket's descriptor, for polling.
  virtual int fd() const = 0;

  /// Blocks until `into` is full. @throws Error timeout, or worker_lost if the connection ends.
  void read_all(std::span<std::byte> into, const Deadline& deadline);
  void write_all(std::span<const std::byte> bytes, const Deadline& deadline, bool more = false);

 protected:
  ByteStream(ByteStream&&) = default;
  ByteStream& operator=(ByteStream&&) = default;
};

/// Blocks until the socket is ready to read or write (or is broken). @throws Error timeout
void wait_for(int fd, ByteStream::Wants wants, const Deadline& deadline);

}  // namespace troupe
