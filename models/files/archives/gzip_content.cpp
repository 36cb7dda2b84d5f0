#include "models/files/archives/gzip_content.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "runtime/files/input_file.hpp"

namespace troupe {
namespace {

constexpr int kGzipWindow = 16 + MAX_WBITS;  // of gzip's format only, whose checksums are checked

}  // namespace

GzipContent::GzipContent(std::string path, ByteStream& from) : path_(std::move(path)), from_(from) {
  if (inflateInit2(&stream_, kGzipWindow) != Z_OK) throw_bad_file(path_, "zlib cannot start");
}

std::size_t GzipContent::read(std::span<std::byte> to) {
  std::size_t done = 0;
  while (done < to.size() && (in_member_ || begin_member())) {
    if (!refill()) fail("it is cut off");
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

/// False where there is none any more.
bool GzipContent::begin_member() {
  while (begun_ && refill() && *stream_.next_in == 0) {
    ++stream_.next_in;
    --stream_.avail_in;
    padded_ = true;
  }
  if (!refill()) return false;
  if (padded_) fail("there is more behind the zeros at its end");
  inflateReset(&stream_);
  return begun_ = in_member_ = true;
}

/// Has bytes at hand; false where there are none any more.
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

}  // namespace troupe
