#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace troupe {

/// An image of bytes: rows from top to bottom, the channels of a pixel interleaved.
struct Image {
  std::int64_t width = 0;
  std::int64_t height = 0;
  std::int64_t channels = 0;  ///< 1: grey; 3: red, green, blue
  std::vector<std::uint8_t> bytes;
};

/// The requested form of an image. An image that will be scaled to `height` x `width` may be decoded at 1/2, 1/4 or 1/8
/// of its size if the result is not smaller than that.
struct ImageUse {
  std::int64_t channels = 3;
  std::int64_t height = 0;  ///< 0: full size
  std::int64_t width = 0;   ///< 0: full size
};

/// The largest number of pixels of an image. Without a limit, a small file's header could make the reader use all
/// memory.
inline constexpr std::int64_t kMostPixels = std::int64_t{1} << 26;

/// The largest size of an image file in bytes.
inline constexpr std::uint64_t kMostBytesOfImage = std::uint64_t{256} << 20;

/// Reads a PNG or JPEG file as a grey or colour image. Values are not corrected for gamma or colour profiles. 16-bit
/// values are divided by 257. Grey is made of colours according to ITU-R 601. Transparent pixels become black; partly
/// transparent ones are blended with black in linear light, assuming a display gamma of 2.2.
/// @throws Error bad_file for a file that is missing, damaged, of another kind or too large.
Image read_image(const std::string& path, const ImageUse& use);
/// Like read_image, for a file's bytes. @param path the name in errors
Image decode_image(const std::string& path, std::span<const std::byte> file, const ImageUse& use);

// One function per file format; `file` is the whole file.
Image read_png(const std::string& path, std::span<const std::byte> file, const ImageUse& use);
Image read_jpeg(const std::string& path, std::span<const std::byte> file, const ImageUse& use);

/// Encodes an image as PNG. @throws Error unsupported if libpng fails, for example for lack of memory
std::vector<std::byte> png_of(const Image& image);

/// Cuts out the middle of the image with the aspect ratio of a network's sample and scales it to the sample's size.
/// This equals scaling the shorter side and a centre crop.
/// @param shape {channels, height, width} or {height, width}
/// @param sample receives the floats: the bytes times `byte_scale`
/// @throws Error invalid_argument if samples of this shape are not images.
void write_sample(const Image& image, const std::vector<std::int64_t>& shape, float byte_scale,
                  std::span<float> sample);
std::vector<float> sample_of(const Image& image, const std::vector<std::int64_t>& shape, float byte_scale);

/// Returns the form in which an image must be read for a sample of this shape. @throws Error invalid_argument like
/// write_sample.
ImageUse use_of(const std::vector<std::int64_t>& shape);

}  // namespace troupe
