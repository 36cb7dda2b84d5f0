#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace troupe {

/// An image in memory. `bytes` contains its rows from top to bottom, one byte for each channel of a pixel; the channels
/// of a pixel are adjacent.
struct Image {
  std::int64_t width = 0;
  std::int64_t height = 0;
  std::int64_t channels = 0;  ///< 1: grey; 3: red, green, blue
  std::vector<std::uint8_t> bytes;
};

/// The form in which the caller needs an image. If `height` and `width` are set, the caller will scale the image to
/// this size. The reader may then decode the image at 1/2, 1/4 or 1/8 of its size, which is faster. It never decodes
/// the image at a size below `height` x `width`, unless the image itself is smaller.
struct ImageUse {
  std::int64_t channels = 3;
  std::int64_t height = 0;  ///< 0: full size
  std::int64_t width = 0;   ///< 0: full size
};

/// The maximum number of pixels of an image. Without this limit, a small file whose header declares a huge image could
/// make the reader use all memory.
inline constexpr std::int64_t kMostPixels = std::int64_t{1} << 26;

/// The maximum size of an image file in bytes.
inline constexpr std::uint64_t kMostBytesOfImage = std::uint64_t{256} << 20;

/// Reads a PNG or JPEG file and returns a grey or colour image with values from 0 to 255. Values are not corrected for
/// gamma or colour profiles. 16-bit values are divided by 257. If grey is requested, colours are converted to grey
/// according to ITU-R 601. Transparent pixels become black; partly transparent pixels are blended with black in linear
/// light, assuming a display gamma of 2.2.
/// @throws Error bad_file if the file is missing, damaged, of another kind or too large.
Image read_image(const std::string& path, const ImageUse& use);
/// Does the same as read_image, for the content of a file in memory.
/// @param path the name of the file, for error messages
Image decode_image(const std::string& path, std::span<const std::byte> file, const ImageUse& use);

// Each function decodes a file of one format. `file` is the content of the whole file, and `path` is its name for error
// messages.
Image read_png(const std::string& path, std::span<const std::byte> file, const ImageUse& use);
Image read_jpeg(const std::string& path, std::span<const std::byte> file, const ImageUse& use);

/// Encodes an image as PNG, and returns the content of the PNG file.
/// @throws Error unsupported if libpng fails, for example for lack of memory
std::vector<std::byte> png_of(const Image& image);

/// Converts an image to a sample for a network. Cuts out the largest centred part of the image that has the aspect
/// ratio of the sample, and scales this part to the size of the sample.
/// @param shape the shape of the sample: {channels, height, width} or {height, width}
/// @param byte_scale the factor by which the values of pixels (0 to 255) are multiplied
/// @param sample receives the floats of the sample
/// @throws Error invalid_argument if samples of this shape are not images.
void write_sample(const Image& image, const std::vector<std::int64_t>& shape, float byte_scale,
                  std::span<float> sample);
/// Does the same as `write_sample`, but returns the floats of the sample.
std::vector<float> sample_of(const Image& image, const std::vector<std::int64_t>& shape, float byte_scale);

/// Returns the form in which an image must be read, so that `write_sample` can convert it to a sample of this shape.
/// @throws Error invalid_argument if samples of this shape are not images
ImageUse use_of(const std::vector<std::int64_t>& shape);

}  // namespace troupe
