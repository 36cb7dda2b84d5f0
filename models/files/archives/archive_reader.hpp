#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <span>
#include <string>

struct archive;
struct archive_entry;

namespace troupe {

/// A stream of bytes, read from start to end.
class ByteStream {
 public:
  ByteStream() = default;
  ByteStream(const ByteStream&) = delete;
  ByteStream& operator=(const ByteStream&) = delete;
  virtual ~ByteStream() = default;

  /// Returns the next bytes; they are valid until the next call. Returns an empty span at the end.
  virtual std::span<const std::byte> next() = 0;
  /// Skips at most `bytes` bytes and returns the number of skipped bytes. Default: skips nothing.
  virtual std::uint64_t skip(std::uint64_t /*bytes*/) { return 0; }
};

/// A reader for one archive format, based on libarchive.
class ArchiveReader {
 public:
  enum class Format : std::uint8_t { tar, zip, zstd };

  /// @param path the name in errors
  /// @throws Error bad_file for bytes of another format; unsupported if libarchive cannot decompress zstd
  ArchiveReader(std::string path, Format format, ByteStream& from);

  /// Moves to the next member and returns it; nullptr at the end. The member is valid until the next call.
  /// @throws Error bad_file for a damaged member
  archive_entry* next();
  /// Reads the next bytes of the current member's content. Returns fewer bytes than requested only at the end of the
  /// content.
  /// @throws Error bad_file for damaged content
  std::size_t read(std::span<std::byte> to);
  /// Return the offset of the current member's header, and the offset of the next byte to read. Both count bytes of the
  /// stream. If the stream is compressed, they count bytes of its decompressed content.
  std::uint64_t header_position() const;
  std::uint64_t position() const;

 private:
  struct Free {
    void operator()(archive* reader) const;
  };
  /// The stream, and an exception that it threw. The exception is stored here, because exceptions must not propagate
  /// through the C functions of libarchive.
  struct Client {
    ByteStream& stream;
    std::exception_ptr error = {};
  };
  static std::ptrdiff_t read_stream(archive* reader, void* client, const void** bytes);
  static std::int64_t skip_stream(archive* reader, void* client, std::int64_t bytes);
  void set_format(Format format);
  [[noreturn]] void fail() const;

  std::string path_;
  Client client_;
  std::unique_ptr<archive, Free> reader_;
};

}  // namespace troupe
