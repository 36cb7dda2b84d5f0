#include "models/files/archives/archive_bytes.hpp"

#include <zlib.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "models/files/archives/archive_reader.hpp"
#include "runtime/files/input_file.hpp"
#include "runtime/printable.hpp"
#include "runtime/processes/command_output.hpp"
#include "troupe/error.hpp"

namespace troupe {
namespace {

/// Decompresses the content of a gzip file with one or more members. Like the program gzip, skips zeros after the last
/// member.
class GzipContent {
 public:
  /// @param path the name of the archive, for error messages
  GzipContent(std::string path, ByteStream& from);
  GzipContent(const GzipContent&) = delete;
  GzipContent& operator=(const GzipContent&) = delete;
  ~GzipContent() { inflateEnd(&stream_); }

  /// Reads the next bytes of the decompressed content into `to`, and returns their number. Fills all of `to`, unless
  /// the content ends before.
  /// @throws Error bad_file if the file is truncated, a checksum or length of a member is wrong, or bytes other than
  /// zeros follow the last member
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
  std::uint64_t total_ = 0;  ///< number of decompressed bytes so far
};

constexpr int kGzipWindow = 16 + MAX_WBITS;  // accepts only the gzip format, and verifies checksums

GzipContent::GzipContent(std::string path, ByteStream& from) : path_(std::move(path)), from_(from) {
  if (inflateInit2(&stream_, kGzipWindow) != Z_OK) throw_bad_file(path_, "zlib cannot start");
}

std::size_t GzipContent::read(std::span<std::byte> to) {
  std::size_t done = 0;
  while (done < to.size() && (in_member_ || begin_member())) {
    if (!refill()) fail("it is truncated");
    const auto room = static_cast<uInt>(std::min<std::size_t>(to.size() - done, std::numeric_limits<uInt>::max()));
    stream_.next_out = reinterpret_cast<Bytef*>(to.data() + done);
    stream_.avail_out = room;
    const int result = inflate(&stream_, Z_NO_FLUSH);
    done += room - stream_.avail_out;
    total_ += room - stream_.avail_out;
    if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR)
      fail(stream_.msg != nullptr ? stream_.msg : "it is damaged");
    in_member_ = result != Z_STREAM_END;
  }
  return done;
}

/// Starts decompressing the next gzip member. Returns false if there are no more members.
bool GzipContent::begin_member() {
  while (begun_ && refill() && *stream_.next_in == 0) {
    ++stream_.next_in;
    --stream_.avail_in;
    padded_ = true;
  }
  if (!refill()) return false;
  if (padded_) fail("there is data after the zeros at its end");
  inflateReset(&stream_);
  return begun_ = in_member_ = true;
}

/// Makes input bytes available to zlib. Returns false at the end of the input.
bool GzipContent::refill() {
  if (stream_.avail_in != 0) return true;
  const std::span<const std::byte> more = from_.next();
  stream_.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(more.data()));  // zlib does not write there
  stream_.avail_in = static_cast<uInt>(more.size());
  return !more.empty();
}

void GzipContent::fail(const std::string& why) const {
  throw_bad_file(path_, "cannot read the archive near byte " + std::to_string(total_) + ": " + why);
}

constexpr std::size_t kArchiveBlock = std::size_t{64} << 10;

enum class Compression : std::uint8_t { none, gzip, zstd };

Compression compression_of(std::span<const std::byte> start) {
  constexpr std::string_view kGzip = "\x1f\x8b";
  constexpr std::string_view kZstd = "\x28\xb5\x2f\xfd";
  const std::string_view text(reinterpret_cast<const char*>(start.data()), start.size());
  if (text.starts_with(kGzip)) return Compression::gzip;
  if (text.starts_with(kZstd)) return Compression::zstd;
  return Compression::none;
}

[[noreturn]] void throw_too_long(const std::string& path, std::uint64_t most) {
  throw Error(ErrorCode::limit_reached,
              "the content is larger than " + std::to_string(most >> 20) +
                  " MB: compressed archives and the output of commands are held in memory completely; split the "
                  "archive or store it "
                  "uncompressed in a file",
              {.object = path});
}

/// Reads an archive, which is a file or the output of a command, in blocks. Throws Error limit_reached if the archive
/// itself, before decompression, has more than about `most` bytes. A limit for the decompressed content would not be
/// enough, because an archive of any length can consist of compressed members without content.
class ArchiveBlocks : public ByteStream {
 public:
  ArchiveBlocks(std::string path, std::uint64_t most) : path_(std::move(path)), most_(most), block_(kArchiveBlock) {}

  const std::string& path() const { return path_; }
  std::span<const std::byte> next() final {
    if (again_) {
      again_ = false;
      return last_;
    }
    std::size_t count = 0;
    while (count < block_.size()) {
      const std::size_t got = read(std::span(block_).subspan(count));
      if (got == 0) break;
      count += got;
    }
    total_ += count;
    if (total_ > most_ + kArchiveBlock) throw_too_long(path_, most_);
    return last_ = std::span(block_).first(count);
  }
  /// Makes the next call of `next` return the same block as the last call.
  void unread() { again_ = true; }

 private:
  virtual std::size_t read(std::span<std::byte> to) = 0;

  std::string path_;
  std::uint64_t most_;
  std::vector<std::byte> block_;
  std::span<const std::byte> last_;
  bool again_ = false;
  std::uint64_t total_ = 0;
};

class FileBlocks final : public ArchiveBlocks {
 public:
  FileBlocks(const ByteSource& file, std::uint64_t most) : ArchiveBlocks(file.path(), most), file_(file) {}

 private:
  std::size_t read(std::span<std::byte> to) override {
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(to.size(), file_.size() - at_));
    file_.read(at_, to.first(count));
    at_ += count;
    return count;
  }

  const ByteSource& file_;
  std::uint64_t at_ = 0;
};

class CommandBlocks final : public ArchiveBlocks {
 public:
  CommandBlocks(const std::string& command, std::uint64_t most)
      : ArchiveBlocks("pipe:" + printable(command, 200), most), output_(command) {}

 private:
  std::size_t read(std::span<std::byte> to) override { return ended_ ? 0 : check(output_.read(to)); }
  std::size_t check(std::size_t count) {
    ended_ = count == 0;
    return count;
  }

  CommandOutput output_;
  bool ended_ = false;
};

/// Calls `read` until the content ends, and returns the whole content.
/// @param path the name of the archive, for error messages
/// @param most the maximum number of bytes of the content
/// @param read writes the next bytes of the content to a span and returns their number; 0 at the end
template <class Read>
std::vector<std::byte> read_content(const std::string& path, std::uint64_t most, const Read& read) {
  std::vector<std::byte> content;
  for (std::size_t count = 0;;) {
    content.resize(std::max(content.capacity(), count + kArchiveBlock));
    const std::size_t got = read(std::span(content).subspan(count));
    count += got;
    if (count > most) throw_too_long(path, most);
    if (got > 0) continue;
    content.resize(count);
    content.shrink_to_fit();
    return content;
  }
}

std::vector<std::byte> decompress(ArchiveBlocks& blocks, Compression compression, std::uint64_t most) {
  if (compression == Compression::gzip) {
    GzipContent content(blocks.path(), blocks);  // libarchive does not check the checksums and lengths of gzip
    return read_content(blocks.path(), most, [&](std::span<std::byte> to) { return content.read(to); });
  }
  ArchiveReader reader(blocks.path(), ArchiveReader::Format::zstd, blocks);
  if (reader.next() == nullptr) return {};
  return read_content(blocks.path(), most, [&](std::span<std::byte> to) { return reader.read(to); });
}

std::vector<std::byte> read_blocks(ArchiveBlocks& blocks, std::uint64_t most) {
  const std::span<const std::byte> first = blocks.next();
  if (first.empty()) throw_bad_file(blocks.path(), "the archive is empty");
  blocks.unread();
  const Compression compression = compression_of(first);
  if (compression == Compression::none)
    return read_content(blocks.path(), most, [&](std::span<std::byte> to) {
      const std::span<const std::byte> more = blocks.next();
      std::ranges::copy(more, to.begin());
      return more.size();
    });
  auto content = decompress(blocks, compression, most);
  if (content.empty()) throw_bad_file(blocks.path(), "the archive is empty");
  while (!blocks.next().empty()) continue;  // reads to the end, where the exit status of a command is checked
  return content;
}

}  // namespace

void ArchiveBytes::read(std::uint64_t offset, std::span<std::byte> out) const {
  if (offset > size_ || out.size() > size_ - offset) throw_bad_file(path_, "truncated");
  if (source_) return source_->read(offset, out);
  if (offset < offset_ || offset - offset_ > content_.size() || out.size() > content_.size() - (offset - offset_))
    throw_bad_file(path_, "the bytes from byte " + std::to_string(offset) + " on are not in memory");
  std::ranges::copy(std::span(content_).subspan(offset - offset_, out.size()), out.begin());
}

bool is_compressed(const ByteSource& file) {
  std::vector<std::byte> start(static_cast<std::size_t>(std::min<std::uint64_t>(file.size(), 4)));
  file.read(0, start);
  return compression_of(start) != Compression::none;
}

std::vector<std::byte> read_decompressed(const ByteSource& file, std::uint64_t most) {
  FileBlocks blocks(file, most);
  return read_blocks(blocks, most);
}

std::vector<std::byte> read_command(const std::string& command, std::uint64_t most) {
  CommandBlocks blocks(command, most);
  return read_blocks(blocks, most);
}

}  // namespace troupe
