#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace troupe {

/// An image of bytes: rows from the top, a pixel's channels side by side.
struct Image {
  std::int64_t width = 0;
  std::int64_t height = 0;
  std::int64_t channels = 0;  ///< 1: grey; 3: red, green, blue
  std::vector<std::uint8_t> bytes;
};

/// What an image is read for.
struct ImageUse {
  std::int64_t channels = 3;
  std::int64_t height = 0;  ///< one that is to become so large may be decoded at a half, a quarter or an eighth of its
  std::int64_t width = 0;   ///< size, if that is not smaller; 0: as it is
};

/// No image has more pixels; what the header of a small file promises could fill the memory.
inline constexpr std::int64_t kMostPixels = std::int64_t{1} << 26;

/// No file of an image is larger.
inline constexpr std::uint64_t kMostBytesOfImage = std::uint64_t{256} << 20;

/// Reads a PNG or JPEG file, whichever it is, as grey or in colours: its values as they are, whatever it says of gamma
/// and colour profiles; of 16 bits a 257th part; grey of colours as ITU-R 601 has it. What is transparent becomes
/// black, and what is partly so lies on black, in light as a display of gamma 2.2 gives it.
/// @throws Error bad_file for a file that is missing, damaged, of another kind or too large.
Image read_image(const std::string& path, const ImageUse& use);
/// The same of a file's bytes. @param path what errors name
Image decode_image(const std::string& path, std::span<const std::byte> file, const ImageUse& use);

// One for each kind of file; `file` is all of it.
Image read_png(const std::string& path, std::span<const std::byte> file, const ImageUse& use);
Image read_jpeg(const std::string& path, std::span<const std::byte> file, const ImageUse& use);

/// The bytes of a PNG file of an image. @throws Error unsupported where libpng refuses, such as for a lack of memory
std::vector<std::byte> png_of(const Image& image);

/// The middle of the image that has the proportions of a network's sample, scaled to its size: what scaling the shorter
/// side and a crop of the middle give. @param shape {channels, height, width} or {height, width}.
/// @param sample its floats: the bytes times `byte_scale`. @throws Error invalid_argument for samples that are no
/// images.
void write_sample(const Image& image, const std::vector<std::int64_t>& shape, float byte_scale,
                  std::span<float> sample);
std::vector<float> sample_of(const Image& image, const std::vector<std::int64_t>& shape, float byte_scale);

/// What an image has to be read for to become such a sample. @throws Error invalid_argument as above.
ImageUse use_of(const std::vector<std::int64_t>& shape);

}  // namespace troupe
