#pragma once

#include <cstdio>
// libjpeg's header requires <cstdio> before it.
#include <jpeglib.h>
#include <zlib.h>

#include <cstdint>
#include <cstdlib>
#include <functional>
#include <string>

namespace troupe_test {

inline std::string big_endian(std::uint32_t value) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(value >> shift);
  return bytes;
}

inline std::string png_chunk(const std::string& content) {
  const auto* const bytes = reinterpret_cast<const Bytef*>(content.data());
  return big_endian(static_cast<std::uint32_t>(content.size() - 4)) + content +
         big_endian(static_cast<std::uint32_t>(crc32(0, bytes, static_cast<uInt>(content.size()))));
}

/// Returns a PNG with 8 bits per channel. `channels` is 1 (gray) or 3 (RGB).
inline std::string png_bytes(const std::string& pixels, std::uint32_t width, std::uint32_t height, int channels) {
  std::string rows;
  const std::size_t row = std::size_t{width} * static_cast<std::size_t>(channels);
  for (std::uint32_t y = 0; y < height; ++y) rows += '\0' + pixels.substr(y * row, row);
  uLongf size = compressBound(rows.size());
  std::string packed(size, '\0');
  compress(reinterpret_cast<Bytef*>(packed.data()), &size, reinterpret_cast<const Bytef*>(rows.data()), rows.size());
  const std::string kind{'\x08', channels == 1 ? '\0' : '\x02', '\0', '\0', '\0'};
  return "\x89PNG\r\n\x1a\n" + png_chunk("IHDR" + big_endian(width) + big_endian(height) + kind) +
         png_chunk("IDAT" + packed.substr(0, size)) + png_chunk("IEND");
}

/// Returns a JPEG. @param channels 1: gray, 3: RGB, 4: CMYK. @param set changes further settings before compression
/// starts
inline std::string jpeg_bytes(
    const std::string& pixels_in_rows, unsigned width, unsigned height, int channels = 1,
    const std::function<void(jpeg_compress_struct&)>& set = [](jpeg_compress_struct&) {}) {
  jpeg_compress_struct compress{};
  jpeg_error_mgr errors{};
  compress.err = jpeg_std_error(&errors);
  jpeg_create_compress(&compress);
  unsigned char* bytes = nullptr;
  unsigned long size = 0;
  jpeg_mem_dest(&compress, &bytes, &size);
  compress.image_width = width;
  compress.image_height = height;
  compress.input_components = channels;
  compress.in_color_space = channels == 1 ? JCS_GRAYSCALE : channels == 3 ? JCS_RGB : JCS_CMYK;
  jpeg_set_defaults(&compress);
  jpeg_set_quality(&compress, 100, TRUE);
  set(compress);
  jpeg_start_compress(&compress, TRUE);
  std::string pixels = pixels_in_rows;
  for (unsigned y = 0; y < height; ++y) {
    auto* row = reinterpret_cast<JSAMPROW>(pixels.data() + std::size_t{y} * width * static_cast<std::size_t>(channels));
    jpeg_write_scanlines(&compress, &row, 1);
  }
  jpeg_finish_compress(&compress);
  std::string file(reinterpret_cast<char*>(bytes), size);
  jpeg_destroy_compress(&compress);
  std::free(bytes);
  return file;
}

}  // namespace troupe_test
