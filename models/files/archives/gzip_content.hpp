#pragma once

#include <zlib.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "models/files/archives/archive_reader.hpp"

namespace troupe {

/// What a gzip file holds, of one member or several, one behind the other. Zeros behind the last one are passed over,
/// as gzip does.
class GzipContent {
 public:
  /// @param path what errors name
  GzipContent(std::string path, ByteStream& from);
  GzipContent(const GzipContent&) = delete;
  GzipContent& operator=(const GzipContent&) = delete;
  ~GzipContent() { inflateEnd(&stream_); }

  /// Fills `to`; fewer bytes only at the end.
  /// @throws Error bad_file for what is damaged, of which a member's checksum or length tells, cut off, or has other
  /// bytes behind its last member
  std::size_t read(std::span<std::byte> to);

 private:
  bool begin_member();
  bool refill();
  [[noreturn]] void fail(const std::string& why) const;

  std::string path_;
  ByteStream& from_;
  z_stream stream_{};
  bool begun_ = false;
  bool in_member_ = false;
  bool padded_ = false;
  std::uint64_t total_ = 0;  ///< bytes that came out
};

}  // namespace troupe
