#include <png.h>

#include "models/files/images/image.hpp"
#include "runtime/files/input_file.hpp"
#include "troupe/error.hpp"

namespace troupe {
namespace {

/// An image of libpng's simplified interface, freed with this object.
struct PngImage {
  png_image image{};

  PngImage() { image.version = PNG_IMAGE_VERSION; }
  PngImage(const PngImage&) = delete;
  PngImage& operator=(const PngImage&) = delete;
  ~PngImage() { png_image_free(&image); }
};

}  // namespace

Image read_png(const std::string& path, std::span<const std::byte> file, const ImageUse& use) {
  PngImage reader;
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

std::vector<std::byte> png_of(const Image& image) {
  PngImage writer;
  writer.image.width = static_cast<png_uint_32>(image.width);
  writer.image.height = static_cast<png_uint_32>(image.height);
  writer.image.format = image.channels == 1 ? PNG_FORMAT_GRAY : PNG_FORMAT_RGB;
  png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(writer.image);
  std::vector<std::byte> file(size);
  if (png_image_write_to_memory(&writer.image, file.data(), &size, 0, image.bytes.data(), 0, nullptr) == 0)
    throw Error(ErrorCode::unsupported, std::string("cannot make a PNG file: ") + writer.image.message);
  file.resize(size);
  return file;
}

}  // namespace troupe
