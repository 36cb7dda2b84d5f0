#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace troupe {

/// An image. Its bytes are the rows from top to bottom, with the channels of each pixel side by side.
struct Image {
  std::int64_t width = 0;
  std::int64_t height = 0;
  std::int64_t channels = 0;  ///< 1: grey; 3: red, green, blue
  std::vector<std::uint8_t> bytes;
};

/// The form in which the caller needs an image. If the caller will scale the image to `height` x `width`, it may be
/// decoded at 1/2, 1/4 or 1/8 of its size. The decoded image is never smaller than `height` x `width`, unless the file
/// is.
struct ImageUse {
  std::int64_t channels = 3;
  std::int64_t height = 0;  ///< 0: full size
  std::int64_t width = 0;   ///< 0: full size
};

/// The maximum number of pixels of an image. Without this limit, the header of a small file could make the reader use
/// all memory.
inline constexpr std::int64_t kMostPixels = std::int64_t{1} << 26;

/// The maximum size of an image file in bytes.
inline constexpr std::uint64_t kMostBytesOfImage = std::uint64_t{256} << 20;

/// Reads a PNG or JPEG file as a grey or colour image. Values are not corrected for gamma or colour profiles. 16-bit
/// values are divided by 257. If grey is requested, colours are converted according to ITU-R 601. Transparent pixels
/// become black; partly transparent ones are blended with black in linear light, assuming a display gamma of 2.2.
/// @throws Error bad_file for a file that is missing, damaged, of another kind or too large.
Image read_image(const std::string& path, const ImageUse& use);
/// Does the same as read_image for the bytes of a file.
/// @param path the name in errors
Image decode_image(const std::string& path, std::span<const std::byte> file, const ImageUse& use);

// Decode a file of one format. `file` contains the whole file.
Image read_png(const std::string& path, std::span<const std::byte> file, const ImageUse& use);
Image read_jpeg(const std::string& path, std::span<const std::byte> file, const ImageUse& use);

/// Returns the image encoded as PNG.
/// @throws Error unsupported if libpng fails, for example for lack of memory
std::vector<std::byte> png_of(const Image& image);

/// Writes an image as a sample of a network. Cuts out the largest centered part of the image that has the aspect ratio
/// of the sample. Scales this part to the size of the sample.
/// @param shape the shape of the sample: {channels, height, width} or {height, width}
/// @param byte_scale the factor that converts bytes to floats
/// @param sample receives the floats
/// @throws Error invalid_argument if samples of this shape are not images.
void write_sample(const Image& image, const std::vector<std::int64_t>& shape, float byte_scale,
                  std::span<float> sample);
/// Returns the floats that `write_sample` writes.
std::vector<float> sample_of(const Image& image, const std::vector<std::int64_t>& shape, float byte_scale);

/// Returns the form in which an image must be read for a sample of this shape.
/// @throws Error invalid_argument if samples of this shape are not images
ImageUse use_of(const std::vector<std::int64_t>& shape);

}  // namespace troupe
