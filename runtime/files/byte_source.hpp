#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace troupe {

/// Bytes that are read at offsets: those of a file, or of an object on a server. They do not change.
class ByteSource {
 public:
  ByteSource() = default;
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;
  virtual ~ByteSource() = default;

  /// Returns the path or the URL, for error messages. A URL is without its query.
  virtual const std::string& path() const = 0;
  /// Returns the number of bytes.
  virtual std::uint64_t size() const = 0;
  /// Returns a number that changes if the bytes change; 0 if none is known, as for an object without a strong ETag.
  virtual std::int64_t modified() const = 0;
  /// Fills `out` with the bytes from byte `offset` on. Thread-safe.
  /// @throws Error bad_file if there are not so many bytes, or if they have changed; timeout if a server does not
  /// answer
  virtual void read(std::uint64_t offset, std::span<std::byte> out) const = 0;
  /// @throws Error bad_file if the bytes have changed since this object was made
  virtual void check_unchanged() const = 0;
  /// Returns the size in bytes of the blocks in which bytes are read and kept in memory; 0: any bytes can be read
  /// quickly.
  virtual std::uint64_t block_size() const { return 0; }
  /// Returns the end of the block that contains a byte; the number of all bytes for a source without blocks.
  virtual std::uint64_t block_end(std::uint64_t /*offset*/) const { return size(); }
  /// Announces that these bytes will be read soon, so that a source with blocks can start to read them. Does not block.
  /// Thread-safe.
  virtual void prefetch(std::uint64_t /*offset*/, std::uint64_t /*count*/) const noexcept {}
  /// Announces that the block with this byte is not needed any more. Thread-safe.
  virtual void release(std::uint64_t /*offset*/) const noexcept {}
  /// Does the same as `read`, for bytes that are read only once, such as a header: a source with blocks does not keep
  /// them.
  virtual void read_once(std::uint64_t offset, std::span<std::byte> out) const { read(offset, out); }

 protected:
  ByteSource(ByteSource&&) = default;
};

}  // namespace troupe
