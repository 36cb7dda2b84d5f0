#include "models/files/images/image.hpp"

#include "fuzz/support.hpp"

using namespace troupe;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static fuzz::InputInFile file;
  const std::string& path = file.hold(std::as_bytes(std::span(data, size)));
  for (const std::int64_t channels : {1, 3})
    fuzz::may_refuse(
        [&] {
          const Image image = read_image(path, {.channels = channels});
          fuzz::expect(image.channels == channels && image.width > 0 && image.height > 0, "an image has a size");
          fuzz::expect(image.bytes.size() == static_cast<std::size_t>(image.width * image.height * channels),
                       "each pixel has all its bytes");
          const auto sample = sample_of(image, {channels, 5, 7}, 1.0F / 255);
          fuzz::expect(sample.size() == static_cast<std::size_t>(channels * 5 * 7), "a sample has the requested size");
          for (const float value : sample) fuzz::expect(value >= 0 && value <= 1.001F, "bytes are scaled");
        },
        {ErrorCode::bad_file});
  return 0;
}
