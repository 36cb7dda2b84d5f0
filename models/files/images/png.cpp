#include <png.h>

#include "models/files/images/image.hpp"
#include "runtime/files/input_file.hpp"

namespace troupe {
namespace {

/// libpng's simplified reader, freed with this object.
struct PngReader {
  png_image image{};

  PngReader() { image.version = PNG_IMAGE_VERSION; }
  PngReader(const PngReader&) = delete;
  PngReader& operator=(const PngReader&) = delete;
  ~PngReader() { png_image_free(&image); }
};

}  // namespace

Image read_png(const std::string& path, std::span<const std::byte> file, const ImageUse& use) {
  PngReader reader;
  png_image& image = reader.image;
  const auto refuse = [&] { throw_bad_file(path, std::string("a damaged PNG file: ") + image.message); };
  if (png_image_begin_read_from_memory(&image, file.data(), file.size()) == 0) refuse();
  if (std::int64_t{image.width} * image.height > kMostPixels) throw_bad_file(path, "an image of too many pixels");
  image.format = use.channels == 1 ? PNG_FORMAT_GRAY : PNG_FORMAT_RGB;
  Image read{.width = image.width, .height = image.height, .channels = use.channels, .bytes = {}};
  read.bytes.resize(PNG_IMAGE_SIZE(image));
  const png_color black{};
  if (png_image_finish_read(&image, &black, read.bytes.data(), 0, nullptr) == 0) refuse();
  return read;
}

}  // namespace troupe
