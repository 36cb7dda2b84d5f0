#include "cli/data/thumbnail.hpp"

#include <algorithm>
#include <cmath>

namespace troupe::cli {
namespace {

constexpr std::int64_t kLongestSide = 64;

/// Returns the mean of the values in a rectangle of one channel.
/// @param plane the values of the channel, in rows of `width` values
double mean_of(std::span<const float> plane, std::int64_t width, std::int64_t top, std::int64_t bottom,
               std::int64_t left, std::int64_t right) {
  double sum = 0;
  for (std::int64_t y = top; y < bottom; ++y)
    for (std::int64_t x = left; x < right; ++x)
      sum += static_cast<double>(plane[static_cast<std::size_t>(y * width + x)]);
  return sum / static_cast<double>((bottom - top) * (right - left));
}

std::uint8_t byte_of(double value, double least, double most) {
  const double range = most - least;
  const double part = range > 0 && std::isfinite(value) ? (value - least) / range : 0;
  return static_cast<std::uint8_t>(std::lround(255 * std::clamp(part, 0.0, 1.0)));
}

}  // namespace

Image thumbnail(std::span<const float> values, const std::vector<std::int64_t>& shape, double least, double most) {
  const std::int64_t width = shape.back();
  const std::int64_t height = shape[shape.size() - 2];
  const std::int64_t longest = std::max({width, height, kLongestSide});
  Image image{.width = std::max<std::int64_t>(1, width * kLongestSide / longest),
              .height = std::max<std::int64_t>(1, height * kLongestSide / longest),
              .channels = shape.size() == 3 && shape[0] == 3 ? 3 : 1,
              .bytes = {}};
  const auto plane = static_cast<std::size_t>(width * height);
  for (std::int64_t y = 0; y < image.height; ++y)
    for (std::int64_t x = 0; x < image.width; ++x)
      for (std::int64_t channel = 0; channel < image.channels; ++channel)
        image.bytes.push_back(byte_of(
            mean_of(values.subspan(static_cast<std::size_t>(channel) * plane, plane), width, y * height / image.height,
                    (y + 1) * height / image.height, x * width / image.width, (x + 1) * width / image.width),
            least, most));
  return image;
}

}  // namespace troupe::cli
