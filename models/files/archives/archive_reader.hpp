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

  /// Returns the next bytes of the stream, or an empty span at its end. The bytes are valid until the next call.
  virtual std::span<const std::byte> next() = 0;
  /// Skips at most `bytes` bytes and returns the number of skipped bytes. Default: skips nothing.
  virtual std::uint64_t skip(std::uint64_t /*bytes*/) { return 0; }
};

/// A reader for one archive format, based on libarchive.
class ArchiveReader {
 public:
  enum class Format : std::uint8_t { tar, zip, zstd };

  /// @param path the name of the archive, for error messages
  /// @param from the bytes of the archive; must outlive this object
  /// @throws Error bad_file if the bytes have another format; unsupported if this machine's libarchive cannot
  /// decompress zstd
  ArchiveReader(std::string path, Format format, ByteStream& from);

  /// Moves to the next member of the archive and returns its entry of libarchive, or null after the last member. The
  /// entry is valid until the next call.
  /// @throws Error bad_file for a damaged member
  archive_entry* next();
  /// Reads the next bytes of the current member's content. Returns fewer bytes than requested only at the end of the
  /// content.
  /// @throws Error bad_file for damaged content
  std::size_t read(std::span<std::byte> to);
  /// `header_position` returns the offset of the current member's header; `position` returns the offset of the next
  /// byte to read. Both are offsets in bytes from the start of the stream or, if the stream is compressed, of its
  /// decompressed content.
  std::uint64_t header_position() const;
  std::uint64_t position() const;

 private:
  struct Free {
    void operator()(archive* reader) const;
  };
  /// The stream from which libarchive reads, and the exception that the stream has thrown, if any. The exception is
  /// stored here and thrown again later, because exceptions must not propagate through the C functions of libarchive.
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
