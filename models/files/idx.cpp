#include "models/files/idx.hpp"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <limits>
#include <span>

#include "runtime/files/input_file.hpp"

namespace troupe {
namespace {

/// Deflate shrinks nothing by more than this factor (zlib's technical notes say 1032:1).
constexpr std::uint64_t kLargestRatio = 1032;

/// Inflates a file that is one gzip member and nothing else.
class GzipReader {
 public:
  explicit GzipReader(const std::string& path) : path_(path), compressed_(InputFile(path).read_all()) {
    constexpr int kGzipOnly = 16 + MAX_WBITS;
    if (inflateInit2(&stream_, kGzipOnly) != Z_OK) throw_bad_file(path_, "zlib cannot start");
    stream_.next_in = reinterpret_cast<Bytef*>(compressed_.data());
  }
  GzipReader(const GzipReader&) = delete;
  GzipReader& operator=(const GzipReader&) = delete;
  ~GzipReader() { inflateEnd(&stream_); }

  /// What could come out at most.
  std::uint64_t limit() const { return compressed_.size() * kLargestRatio; }

  void read(std::span<std::uint8_t> out) {
    if (inflate_into(out) != out.size()) throw_bad_file(path_, "truncated");
  }

  /// The member must end here, with a right checksum, and the file with it.
  void expect_end() {
    std::uint8_t extra = 0;
    if (inflate_into({&extra, 1}) != 0) throw_bad_file(path_, "longer than its header says");
    if (!ended_) throw_bad_file(path_, "truncated");
    if (stream_.avail_in != 0 || taken_ != compressed_.size()) throw_bad_file(path_, "bytes after the gzip data");
  }

 private:
  std::size_t inflate_into(std::span<std::uint8_t> out) {
    std::size_t done = 0;
    while (done < out.size() && !ended_) {
      refill();
      const auto room = static_cast<uInt>(std::min<std::size_t>(out.size() - done, kPiece));
      stream_.next_out = out.data() + done;
      stream_.avail_out = room;
      const int result = inflate(&stream_, Z_NO_FLUSH);
      done += room - stream_.avail_out;
      ended_ = result == Z_STREAM_END;
      if (result == Z_BUF_ERROR) break;  // no input left
      if (result != Z_OK && !ended_) throw_bad_file(path_, "not gzip, or damaged");
    }
    return done;
  }

  // zlib counts in 32 bits.
  void refill() {
    if (stream_.avail_in != 0) return;
    stream_.avail_in = static_cast<uInt>(std::min<std::size_t>(compressed_.size() - taken_, kPiece));
    taken_ += stream_.avail_in;
  }

  static constexpr std::size_t kPiece = std::size_t{1} << 30;

  const std::string& path_;
  std::vector<std::byte> compressed_;
  std::size_t taken_ = 0;
  z_stream stream_{};
  bool ended_ = false;
};

std::int64_t big_endian(std::span<const std::uint8_t, 4> bytes) {
  return std::int64_t{bytes[0]} << 24 | std::int64_t{bytes[1]} << 16 | std::int64_t{bytes[2]} << 8 | bytes[3];
}

std::vector<std::int64_t> read_shape(GzipReader& file, int dimensions) {
  std::vector<std::int64_t> shape;
  std::array<std::uint8_t, 4> length{};
  for (int i = 0; i < dimensions; ++i) {
    file.read(length);
    shape.push_back(big_endian(length));
  }
  return shape;
}

/// The array's bytes, if the file can hold them. Four bytes a length and few dimensions: the test before each
/// multiplication keeps it from overflowing.
std::size_t checked_size(const std::string& path, const std::vector<std::int64_t>& shape, std::uint64_t limit) {
  std::uint64_t size = 1;
  for (const std::int64_t length : shape) {
    if (size > std::numeric_limits<std::uint32_t>::max()) throw_bad_file(path, "its header promises too much");
    size *= static_cast<std::uint64_t>(length);
  }
  if (size > limit) {
    throw_bad_file(path, "its header promises " + std::to_string(size) + " bytes, more than the file can hold");
  }
  return size;
}

}  // namespace

IdxArray read_idx(const std::string& path, int dimensions) {
  GzipReader file(path);
  std::array<std::uint8_t, 4> magic{};
  file.read(magic);
  constexpr std::uint8_t kUnsignedBytes = 8;
  if (magic[0] != 0 || magic[1] != 0 || magic[2] != kUnsignedBytes || magic[3] != dimensions) {
    throw_bad_file(path, "not an IDX file of bytes with " + std::to_string(dimensions) + " dimensions");
  }
  IdxArray array;
  array.shape = read_shape(file, dimensions);
  array.bytes.resize(checked_size(path, array.shape, file.limit()));
  file.read(array.bytes);
  file.expect_end();
  return array;
}

}  // namespace troupe
