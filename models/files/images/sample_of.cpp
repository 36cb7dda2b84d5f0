#include "models/files/images/image.hpp"
#include "models/files/images/scaling.hpp"
#include "runtime/invalid.hpp"

namespace troupe {

std::int64_t channels_of(const std::vector<std::int64_t>& shape) {
  if (shape.size() == 2) return 1;
  if (shape.size() == 3 && (shape[0] == 1 || shape[0] == 3)) return shape[0];
  throw_invalid("the network's samples are no images, grey or in colours; give them as .npy");
}

std::vector<float> sample_of(const Image& image, const std::vector<std::int64_t>& shape, float byte_scale) {
  const std::int64_t height = shape[shape.size() - 2];
  const std::int64_t width = shape.back();
  const auto size = static_cast<std::size_t>(height * width);
  const auto channels = static_cast<std::size_t>(channels_of(shape));
  std::vector<float> sample(channels * size);
  std::vector<float> plane(static_cast<std::size_t>(image.width * image.height));
  for (std::size_t channel = 0; channel < channels; ++channel) {
    for (std::size_t i = 0; i < plane.size(); ++i)
      plane[i] = byte_scale * static_cast<float>(image.bytes[i * channels + channel]);
    scale_plane({image.width, image.height, plane}, width, height, std::span(sample).subspan(channel * size, size));
  }
  return sample;
}

}  // namespace troupe
