#include "models/files/idx.hpp"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <span>
#include <vector>

#include "runtime/files/input_file.hpp"

namespace troupe {
namespace {

/// Deflate shrinks nothing by more than this factor (zlib's technical notes say 1032:1).
constexpr std::uint64_t kLargestRatio = 1032;

bool is_gzip(std::span<const std::byte> bytes) {
  return bytes.size() > 1 && bytes[0] == std::byte{0x1f} && bytes[1] == std::byte{0x8b};
}

/// A file's bytes; where it is one gzip member and nothing else, those that it holds.
class GzipReader {
 public:
  explicit GzipReader(const std::string& path)
      : path_(path), compressed_(InputFile(path).read_all()), plain_(!is_gzip(compressed_)) {
    constexpr int kGzipOnly = 16 + MAX_WBITS;
    if (!plain_ && inflateInit2(&stream_, kGzipOnly) != Z_OK) throw_bad_file(path_, "zlib cannot start");
    stream_.next_in = reinterpret_cast<Bytef*>(compressed_.data());
  }
  GzipReader(const GzipReader&) = delete;
  GzipReader& operator=(const GzipReader&) = delete;
  ~GzipReader() {
    if (!plain_) inflateEnd(&stream_);
  }

  /// What could come out at most.
  std::uint64_t limit() const { return compressed_.size() * (plain_ ? 1 : kLargestRatio); }

  void read(std::span<std::uint8_t> out) {
    const std::size_t done = plain_ ? copy_into(out) : inflate_into(out);
    if (done != out.size()) throw_bad_file(path_, "truncated");
  }

  /// The member must end here, with a right checksum, and the file with it.
  void expect_end() {
    if (plain_ && taken_ != compressed_.size()) throw_bad_file(path_, "longer than its header says");
    if (plain_) return;
    std::uint8_t extra = 0;
    if (inflate_into({&extra, 1}) != 0) throw_bad_file(path_, "longer than its header says");
    if (!ended_) throw_bad_file(path_, "truncated");
    if (stream_.avail_in != 0 || taken_ != compressed_.size()) throw_bad_file(path_, "bytes after the gzip data");
  }

 private:
  std::size_t copy_into(std::span<std::uint8_t> out) {
    const std::size_t size = std::min(out.size(), compressed_.size() - taken_);
    std::memcpy(out.data(), compressed_.data() + taken_, size);
    taken_ += size;
    return size;
  }

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
  bool plain_;
  std::size_t taken_ = 0;
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

/// The array's bytes, if the file can hold them.
std::size_t checked_size(const std::string& path, const NumberArray& array, std::uint64_t limit) {
  auto size = static_cast<std::uint64_t>(array.item_size);
  for (const std::int64_t length : array.shape)
    if (__builtin_mul_overflow(size, static_cast<std::uint64_t>(length), &size))
      throw_bad_file(path, "its header promises too much");
  if (size > limit) {
    throw_bad_file(path, "its header promises " + std::to_string(size) + " bytes, more than the file can hold");
  }
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

NumberArray read_idx(const std::string& path) {
  GzipReader file(path);
  std::array<std::uint8_t, 4> magic{};
  file.read(magic);
  const auto* const type = std::ranges::find(kIdxTypes, magic[2], &IdxType::code);
  if (magic[0] != 0 || magic[1] != 0 || type == kIdxTypes.end() || magic[3] == 0)
    throw_bad_file(path, "not an IDX file");
  NumberArray array{type->kind, type->item_size, read_shape(file, magic[3]), {}};
  array.bytes.resize(checked_size(path, array, file.limit()));
  file.read(array.bytes);
  file.expect_end();
  if (type->item_size > 1) array.swap_bytes();
  return array;
}

}  // namespace troupe
