#pragma once

#include <cstddef>
#include <span>

#include "runtime/clock.hpp"

namespace troupe {

/// A non-blocking connection that carries bytes; one thread at a time.
class ByteStream {
 public:
  /// How far a non-blocking call got.
  enum class Wants : unsigned char { nothing, read, write, closed };
  struct Progress {
    std::size_t bytes = 0;
    Wants wants = Wants::nothing;  ///< what must become possible before it can go on; closed: never
  };

  ByteStream() = default;
  virtual ~ByteStream() = default;

  /// Until `into` is full, or nothing more is there. @throws Error protocol on anything but an orderly end or a broken
  /// connection, which are `closed`.
  virtual Progress read_some(std::span<std::byte> into) = 0;
  /// Until all is written, or no more can be taken. After `Wants::write`, go on with the rest, all of it.
  /// @param more whether other bytes follow at once, so that the last packet may wait for them.
  virtual Progress write_some(std::span<const std::byte> bytes, bool more = false) = 0;
  /// The socket, to wait for.
  virtual int fd() const = 0;

  /// Waits for the socket in between. @throws Error timeout, or worker_lost when the connection ends.
  void read_all(std::span<std::byte> into, const Deadline& deadline);
  void write_all(std::span<const std::byte> bytes, const Deadline& deadline, bool more = false);

 protected:
  ByteStream(ByteStream&&) = default;
  ByteStream& operator=(ByteStream&&) = default;
};

/// Waits until a socket can do what is wanted (or is broken). @throws Error timeout
void wait_for(int fd, ByteStream::Wants wants, const Deadline& deadline);

}  // namespace troupe
