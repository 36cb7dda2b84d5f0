#include <doctest/doctest.h>

#include <array>
#include <filesystem>

#include "models/files.hpp"
#include "models/files/images/image.hpp"
#include "support/image_bytes.hpp"

using namespace troupe;
using namespace troupe::testing;
using troupe_test::big_endian;
using troupe_test::jpeg_bytes;
using troupe_test::png_bytes;
using troupe_test::png_chunk;

namespace {

using Pixels = std::vector<std::uint8_t>;

/// The colour type in a PNG header.
enum class PngKind : char { grey = 0, colours = 2, palette = 3, grey_alpha = 4, alpha = 6 };

struct PngFile {
  std::uint32_t width = 1;
  std::uint32_t height = 1;
  int bits = 8;
  PngKind kind = PngKind::grey;
  std::string rows;         ///< each row with its filter byte, 0, in front
  std::string chunks = "";  ///< chunks before the rows
  bool interlaced = false;

  std::string bytes() const {
    uLongf size = compressBound(rows.size());
    std::string packed(size, '\0');
    compress(reinterpret_cast<Bytef*>(packed.data()), &size, reinterpret_cast<const Bytef*>(rows.data()), rows.size());
    const std::string header{static_cast<char>(bits), static_cast<char>(kind), '\0', '\0',
                             static_cast<char>(interlaced)};
    return "\x89PNG\r\n\x1a\n" + png_chunk("IHDR" + big_endian(width) + big_endian(height) + header) + chunks +
           png_chunk("IDAT" + packed.substr(0, size)) + png_chunk("IEND");
  }
};

Image decode(const std::string& file, std::int64_t channels) {
  return decode_image("x", std::as_bytes(std::span(file)), {.channels = channels});
}

Pixels pixels(const std::string& file, std::int64_t channels) { return decode(file, channels).bytes; }

Pixels pixels(const PngFile& file, std::int64_t channels) { return pixels(file.bytes(), channels); }

void is_damaged(const std::string& file, const std::string& what) {
  check_throws(ErrorCode::bad_file, what, [&] { decode(file, 3); });
  check_throws(ErrorCode::bad_file, "(x)", [&] { decode(file, 3); });
}

/// Overwrites bytes of the last scan, `at` bytes after its header.
std::string with_data(std::string jpeg, std::size_t at, std::string_view bytes) {
  const std::size_t scan = jpeg.rfind("\xFF\xDA");
  const std::size_t header = static_cast<unsigned char>(jpeg[scan + 3]);
  return jpeg.replace(scan + 2 + header + at, bytes.size(), bytes);
}

/// Returns pixels with all frequencies.
std::string noise(std::size_t size) {
  std::string bytes;
  for (std::uint32_t i = 0; i < size; ++i) bytes += static_cast<char>(i * i * 2654435761U >> 24);
  return bytes;
}

/// Returns a JPEG with two scans; the second one is repeated `times` times.
std::string of_scans(int times) {
  static constexpr std::array<jpeg_scan_info, 2> kScans{{{1, {0}, 0, 0, 0, 0}, {1, {0}, 1, 63, 0, 0}}};
  const std::string file = jpeg_bytes(noise(256), 16, 16, 1, [](jpeg_compress_struct& jpeg) {
    jpeg.scan_info = kScans.data();
    jpeg.num_scans = static_cast<int>(kScans.size());
  });
  const std::string head = file.substr(0, file.rfind("\xFF\xDA"));
  const std::string scan = file.substr(head.size(), file.size() - 2 - head.size());
  std::string all = head;
  for (int i = 0; i < times; ++i) all += scan;
  return all + "\xFF\xD9";
}

}  // namespace

TEST_CASE("the gamma of a PNG does not change its values") {
  const std::string linear = png_chunk("gAMA" + big_endian(100'000));
  for (const std::string& chunks : {std::string(), linear, png_chunk("gAMA" + big_endian(45'455))}) {
    CHECK(pixels({.rows = {'\0', '\x40'}, .chunks = chunks}, 1) == Pixels{64});
    CHECK(pixels({.rows = {'\0', '\x40'}, .chunks = chunks}, 3) == Pixels{64, 64, 64});
    CHECK(pixels({.bits = 16, .rows = {'\0', '\x40', '\x40'}, .chunks = chunks}, 1) == Pixels{64});
    CHECK(pixels({.bits = 16, .kind = PngKind::colours, .rows = {'\0', 1, 1, 2, 2, 3, 3}, .chunks = chunks}, 3) ==
          Pixels{1, 2, 3});
  }
}

TEST_CASE("1-bit, 2-bit and palette images become bytes") {
  CHECK(pixels({.width = 4, .bits = 2, .rows = {'\0', '\x1B'}}, 1) == Pixels{0, 85, 170, 255});
  CHECK(pixels({.width = 9, .bits = 1, .rows = {'\0', '\x55', '\x7F'}}, 1) ==
        Pixels{0, 255, 0, 255, 0, 255, 0, 255, 0});
  const std::string palette = png_chunk(std::string("PLTE\x0A\x14\x1E\xFF\0\0", 10));
  const PngFile of_palette{.width = 2, .bits = 4, .kind = PngKind::palette, .rows = {'\0', '\x10'}, .chunks = palette};
  CHECK(pixels(of_palette, 3) == Pixels{255, 0, 0, 10, 20, 30});
  CHECK(pixels(of_palette, 1) == Pixels{76, 18});
}

TEST_CASE("a PNG is converted to grey like a JPEG") {
  const std::array<std::array<int, 4>, 5> colours{
      {{255, 0, 0, 76}, {0, 255, 0, 150}, {0, 0, 255, 29}, {255, 255, 255, 255}, {12, 200, 90, 131}}};
  for (const auto& [red, green, blue, grey] : colours) {
    std::string all;
    for (int i = 0; i < 64; ++i) {
      for (const int value : {red, green, blue}) all += static_cast<char>(value);
    }
    CHECK(pixels(png_bytes(all, 8, 8, 3), 1) == Pixels(64, static_cast<std::uint8_t>(grey)));
    CHECK(pixels(jpeg_bytes(all, 8, 8, 3), 1) == Pixels(64, static_cast<std::uint8_t>(grey)));
  }
}

TEST_CASE("transparent pixels become black, and partly transparent pixels are blended with black in linear light") {
  const std::string grey{'\0', '\x64', '\0', '\x64', '\xFF', '\xFF', '\x80'};
  CHECK(pixels({.width = 3, .kind = PngKind::grey_alpha, .rows = grey}, 1) == Pixels{0, 100, 186});
  CHECK(pixels({.kind = PngKind::alpha, .rows = {'\0', '\xFF', '\0', '\x64', '\x80'}}, 3) == Pixels{186, 0, 73});
  CHECK(pixels({.kind = PngKind::alpha, .rows = {'\0', '\xFF', '\0', '\0', '\x80'}}, 1) == Pixels{56});
  const std::string key = png_chunk(std::string("tRNS\0\x07", 6));
  CHECK(pixels({.width = 2, .rows = {'\0', '\x07', '\x08'}, .chunks = key}, 1) == Pixels{0, 8});
  const std::string wide_key = png_chunk(std::string("tRNS\x08\x07", 6));
  CHECK(pixels({.width = 2, .bits = 16, .rows = {'\0', 8, 7, 8, 8}, .chunks = wide_key}, 1) == Pixels{0, 8});
}

TEST_CASE("an interlaced PNG has the same pixels as a PNG without interlacing") {
  // The passes of a 3 x 3 image: 1; 3; 7 and 9; 2, then 8; the middle row.
  const std::string rows{'\0', 1, '\0', 3, '\0', 7, 9, '\0', 2, '\0', 8, '\0', 4, 5, 6};
  CHECK(pixels({.width = 3, .height = 3, .rows = rows, .interlaced = true}, 1) == Pixels{1, 2, 3, 4, 5, 6, 7, 8, 9});
  CHECK(pixels({.width = 3, .height = 3, .rows = rows, .interlaced = true}, 3).size() == 27);
}

TEST_CASE("the error about a damaged PNG contains the message of libpng") {
  const std::string file = png_bytes(noise(4096), 64, 64, 1);
  is_damaged(file.substr(0, file.size() / 2), "the PNG file is damaged: read beyond end of data");
  is_damaged(file.substr(0, 20), "read beyond end of data");
  std::string flipped = file;
  flipped[file.size() / 2] = static_cast<char>(flipped[file.size() / 2] ^ 1);
  is_damaged(flipped, "the PNG file is damaged: IDAT: ");
  is_damaged(PngFile{.kind = PngKind::palette, .rows = std::string(2, '\0')}.bytes(), "Missing PLTE");
  is_damaged(PngFile{.height = 9, .rows = std::string(4, '\0')}.bytes(), "Not enough image data");
  is_damaged(PngFile{.width = 50'000, .height = 50'000, .rows = std::string(9, '\0')}.bytes(), "too many pixels");
}

TEST_CASE("a JPEG with data that libjpeg calls corrupt is damaged") {
  const std::string ones("\xFF\0\xFF\0\xFF\0\xFF\0\xFF\0\xFF\0", 12);
  is_damaged(with_data(jpeg_bytes(noise(256), 16, 16), 8, ones), "bad Huffman code");
  const std::string restarts =
      jpeg_bytes(noise(4096), 64, 64, 1, [](jpeg_compress_struct& jpeg) { jpeg.restart_interval = 4; });
  CHECK(decode(restarts, 1).width == 64);
  std::string other = restarts;
  is_damaged(other.replace(restarts.find("\xFF\xD1"), 2, "\xFF\xD4"), "found marker");
  std::string more = restarts;
  is_damaged(more.insert(restarts.find("\xFF\xD1"), "more"), "extraneous bytes before marker 0xd");
  const std::string arithmetic =
      jpeg_bytes(noise(4096), 64, 64, 1, [](jpeg_compress_struct& jpeg) { jpeg.arith_code = TRUE; });
  CHECK(decode(arithmetic, 1).width == 64);
  is_damaged(with_data(arithmetic, 8, std::string(400, '\x10')), "bad arithmetic code");
  std::string refined = of_scans(2);
  refined[refined.rfind("\xFF\xDA") + 9] = '\x10';  // refines a scan that does not exist
  is_damaged(refined, "Inconsistent progression");
  std::string padded = jpeg_bytes(noise(4096), 64, 64);
  CHECK(decode(padded.insert(padded.size() - 2, "more"), 1).width == 64);
}

TEST_CASE("a JPEG with too many scans is refused") {
  CHECK(pixels(of_scans(99), 1) == pixels(of_scans(1), 1));
  is_damaged(of_scans(100), "more than 100 scans");
}

TEST_CASE("a file that is too large for an image is not read") {
  const TemporaryFolder folder;
  const std::string path = folder / "large.jpg";
  write_file(path, "\xFF\xD8\xFF\xE0");
  std::filesystem::resize_file(path, kMostBytesOfImage + 1);
  check_throws(ErrorCode::bad_file, "larger than 256 MB", [&] { read_image(path, {}); });
  check_throws(ErrorCode::bad_file, path, [&] { read_image(path, {}); });
}
