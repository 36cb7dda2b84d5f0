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

/// No image has more pixels; what the header of a small file promises could fill the memory.
inline constexpr std::int64_t kMostPixels = std::int64_t{1} << 26;

/// Reads a PNG or JPEG file, whichever it is, as grey or in colours. What is transparent becomes black.
/// @throws Error bad_file for a file that is missing, damaged, of another kind or too large.
Image read_image(const std::string& path, std::int64_t channels);

// One for each kind of file; `file` is all of it.
Image read_png(const std::string& path, std::span<const std::byte> file, std::int64_t channels);
Image read_jpeg(const std::string& path, std::span<const std::byte> file, std::int64_t channels);

/// The image as a network's sample: of {channels, height, width} or {height, width}, scaled to that size, its bytes
/// times `byte_scale`. @throws Error invalid_argument for samples that are no images.
std::vector<float> sample_of(const Image& image, const std::vector<std::int64_t>& shape, float byte_scale);

/// Channels of such samples: 1 or 3. @throws Error invalid_argument as above.
std::int64_t channels_of(const std::vector<std::int64_t>& shape);

}  // namespace troupe
