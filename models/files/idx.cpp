#include "models/files/idx.hpp"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "runtime/files/input_file.hpp"

namespace troupe {
namespace {

/// The largest compression ratio of deflate, the method of gzip: one byte of a file can expand to at most 1,032 bytes
/// (zlib's technical notes).
constexpr std::uint64_t kLargestRatio = 1032;

bool is_gzip(const InputFile& file) {
  std::array<std::byte, 2> start{};
  const auto have = std::span(start).first(std::min<std::uint64_t>(file.size(), start.size()));
  file.read(0, have);
  return start[0] == std::byte{0x1f} && start[1] == std::byte{0x8b};
}

/// Reads the content of a file from start to end. If the file is gzipped, decompresses it; such a file must have
/// exactly one gzip member.
class GzipReader {
 public:
  explicit GzipReader(const std::string& path) : file_(path), plain_(!is_gzip(file_)) {
    constexpr int kGzipOnly = 16 + MAX_WBITS;
    if (plain_) return;
    if (inflateInit2(&stream_, kGzipOnly) != Z_OK) throw_bad_file(path, "zlib cannot start");
    piece_.resize(std::min<std::uint64_t>(file_.size(), kPiece));
  }
  GzipReader(const GzipReader&) = delete;
  GzipReader& operator=(const GzipReader&) = delete;
  ~GzipReader() {
    if (!plain_) inflateEnd(&stream_);
  }

  const std::string& path() const { return file_.path(); }
  /// Returns an upper limit for the number of bytes of the file's content after decompression.
  std::uint64_t limit() const { return plain_ ? file_.size() : file_.size() * kLargestRatio; }

  void read(std::span<std::uint8_t> out) {
    const std::size_t done = plain_ ? copy_into(out) : inflate_into(out);
    if (done != out.size()) throw_bad_file(path(), "truncated");
  }

  /// Checks that all content has been read, and that no other bytes follow in the file. If the file is gzipped, also
  /// verifies the checksum of the content.
  void expect_end() {
    if (plain_ && taken_ != file_.size()) throw_bad_file(path(), "the file is longer than its header declares");
    if (plain_) return;
    std::uint8_t extra = 0;
    if (inflate_into({&extra, 1}) != 0) throw_bad_file(path(), "the file is longer than its header declares");
    if (!ended_) throw_bad_file(path(), "truncated");
    if (stream_.avail_in != 0 || taken_ != file_.size()) throw_bad_file(path(), "extra bytes after the gzip data");
  }

 private:
  std::size_t copy_into(std::span<std::uint8_t> out) {
    const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(out.size(), file_.size() - taken_));
    file_.read(taken_, std::as_writable_bytes(out.first(size)));
    taken_ += size;
    return size;
  }

  std::size_t inflate_into(std::span<std::uint8_t> out) {
    std::size_t done = 0;
    while (done < out.size() && !ended_) {
      refill();
      const auto room = static_cast<uInt>(std::min<std::size_t>(out.size() - done, kMostAtOnce));
      stream_.next_out = out.data() + done;
      stream_.avail_out = room;
      const int result = inflate(&stream_, Z_NO_FLUSH);
      done += room - stream_.avail_out;
      ended_ = result == Z_STREAM_END;
      if (result == Z_BUF_ERROR) break;  // no input left
      if (result != Z_OK && !ended_) throw_bad_file(path(), "the gzip data is damaged");
    }
    return done;
  }

  void refill() {
    if (stream_.avail_in != 0) return;
    const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(file_.size() - taken_, piece_.size()));
    file_.read(taken_, std::span(piece_).first(size));
    stream_.next_in = reinterpret_cast<Bytef*>(piece_.data());
    stream_.avail_in = static_cast<uInt>(size);
    taken_ += size;
  }

  static constexpr std::size_t kPiece = std::size_t{1} << 20;       ///< number of bytes to read from the file at a time
  static constexpr std::size_t kMostAtOnce = std::size_t{1} << 30;  ///< number of bytes to decompress at a time;
                                                                    ///< limited, because zlib's counters have 32 bits

  InputFile file_;
  bool plain_;
  std::vector<std::byte> piece_;
  std::uint64_t taken_ = 0;
  z_stream stream_{};
  bool ended_ = false;
};

std::int64_t big_endian(std::span<const std::uint8_t, 4> bytes) {
  return std::int64_t{bytes[0]} << 24 | std::int64_t{bytes[1]} << 16 | std::int64_t{bytes[2]} << 8 | bytes[3];
}

std::vector<std::int64_t> read_shape(GzipReader& file, std::size_t dimensions) {
  std::vector<std::int64_t> shape;
  std::array<std::uint8_t, 4> length{};
  for (std::size_t i = 0; i < dimensions; ++i) {
    file.read(length);
    shape.push_back(big_endian(length));
  }
  return shape;
}

/// Returns the size of the array's elements in bytes, as the header of the file declares it.
/// @throws Error bad_file if the file cannot contain that many bytes; limit_reached if the size exceeds `most`
std::size_t checked_size(const GzipReader& file, const NumberArray& array, std::uint64_t most) {
  const std::uint64_t size = bytes_of_shape(file.path(), array.shape, array.item_size);
  if (size > file.limit())
    throw_bad_file(file.path(), "the header declares " + std::to_string(size) + " bytes, more than the file can hold");
  if (size > most) throw_too_large(file.path(), size, most);
  return size;
}

struct IdxType {
  std::uint8_t code;
  char kind;
  int item_size;
};
constexpr std::array<IdxType, 6> kIdxTypes{
    {{0x08, 'u', 1}, {0x09, 'i', 1}, {0x0b, 'i', 2}, {0x0c, 'i', 4}, {0x0d, 'f', 4}, {0x0e, 'f', 8}}};

}  // namespace

NumberArray read_idx(const std::string& path, std::uint64_t most) {
  GzipReader file(path);
  std::array<std::uint8_t, 4> magic{};
  file.read(magic);
  const auto* const type = std::ranges::find(kIdxTypes, magic[2], &IdxType::code);
  if (magic[0] != 0 || magic[1] != 0 || type == kIdxTypes.end() || magic[3] == 0)
    throw_bad_file(path, "not an IDX file");
  NumberArray array{type->kind, type->item_size, read_shape(file, magic[3]), {}};
  array.bytes.resize(checked_size(file, array, most));
  file.read(array.bytes);
  file.expect_end();
  if (type->item_size > 1) array.swap_bytes();
  return array;
}

}  // namespace troupe
