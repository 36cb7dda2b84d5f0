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

/// Bytes that are read from their start to their end.
class ByteStream {
 public:
  ByteStream() = default;
  ByteStream(const ByteStream&) = delete;
  ByteStream& operator=(const ByteStream&) = delete;
  virtual ~ByteStream() = default;

  /// Some more, which stay until the next call; empty at the end.
  virtual std::span<const std::byte> next() = 0;
  /// Leaves out as many as it can of so many; returns how many.
  virtual std::uint64_t skip(std::uint64_t /*bytes*/) { return 0; }
};

/// libarchive's reader of one format.
class ArchiveReader {
 public:
  enum class Format : std::uint8_t { tar, zip, zstd };

  /// @param path what errors name. @throws Error bad_file for bytes of another format, unsupported
  ArchiveReader(std::string path, Format format, ByteStream& from);

  /// The next member, valid until the one after it; nullptr at the end. @throws Error bad_file for one that is damaged
  archive_entry* next();
  /// Content of the member; fewer bytes than asked for only at its end. @throws Error bad_file
  std::size_t read(std::span<std::byte> to);
  /// Where the member's header begins, and how far has been read: both in the bytes of the stream or, of what is
  /// compressed, in the content.
  std::uint64_t header_position() const;
  std::uint64_t position() const;

 private:
  struct Free {
    void operator()(archive* reader) const;
  };
  /// What the stream throws must not go through libarchive.
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
