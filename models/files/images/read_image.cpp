#include <array>
#include <cstring>

#include "models/files/images/image.hpp"
#include "runtime/files/input_file.hpp"

namespace troupe {
namespace {

template <std::size_t kSize>
bool starts_with(std::span<const std::byte> file, const std::array<unsigned char, kSize>& magic) {
  return file.size() > kSize && std::memcmp(file.data(), magic.data(), kSize) == 0;
}

}  // namespace

Image read_image(const std::string& path, const ImageUse& use) {
  const InputFile file(path);
  if (file.size() > kMostBytesOfImage)
    throw_bad_file(
        path, "the file is larger than " + std::to_string(kMostBytesOfImage >> 20) + " MB, the limit for an image");
  return decode_image(path, file.read_all(), use);
}

Image decode_image(const std::string& path, std::span<const std::byte> file, const ImageUse& use) {
  if (starts_with(file, std::array<unsigned char, 4>{0x89, 'P', 'N', 'G'})) return read_png(path, file, use);
  if (starts_with(file, std::array<unsigned char, 3>{0xFF, 0xD8, 0xFF})) return read_jpeg(path, file, use);
  throw_bad_file(path, "neither a PNG nor a JPEG file");
}

}  // namespace troupe
