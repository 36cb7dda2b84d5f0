#include <algorithm>
#include <cmath>

#include "cli/predict/image.hpp"
#include "runtime/invalid.hpp"

namespace troupe::cli {
namespace {

/// What each new pixel of a row is made of: a triangle over the old ones around it, as wide as a new pixel is, and at
/// least as an old one. So nothing of a larger image is left out, and an image of the right size stays as it is.
struct Taps {
  std::int64_t first = 0;
  std::vector<float> shares;  ///< of the old pixels from `first` on; their sum is 1
};

std::vector<Taps> taps_of(std::int64_t from, std::int64_t to) {
  const double step = static_cast<double>(from) / static_cast<double>(to);
  const double reach = std::max(1.0, step);
  std::vector<Taps> all;
  for (std::int64_t i = 0; i < to; ++i) {
    const double middle = (static_cast<double>(i) + 0.5) * step;
    Taps taps{.first = std::max<std::int64_t>(0, static_cast<std::int64_t>(std::floor(middle - reach))), .shares = {}};
    const std::int64_t end = std::min(from, static_cast<std::int64_t>(std::ceil(middle + reach)));
    double sum = 0;
    for (std::int64_t j = taps.first; j < end; ++j) {
      const double share = std::max(0.0, 1 - std::abs(static_cast<double>(j) + 0.5 - middle) / reach);
      taps.shares.push_back(static_cast<float>(share));
      sum += share;
    }
    for (float& share : taps.shares) share = static_cast<float>(share / sum);
    all.push_back(std::move(taps));
  }
  return all;
}

/// A channel, row-major.
struct Plane {
  std::int64_t width = 0;
  std::int64_t height = 0;
  std::vector<float> values;
};

/// With so many pixels a row, and rows and columns exchanged: done twice, it scales both.
Plane scaled_and_turned(const Plane& plane, std::int64_t width) {
  const std::vector<Taps> taps = taps_of(plane.width, width);
  Plane turned{.width = plane.height, .height = width, .values = {}};
  turned.values.reserve(static_cast<std::size_t>(turned.width * turned.height));
  for (const Taps& tap : taps)
    for (std::int64_t row = 0; row < plane.height; ++row) {
      const float* from = plane.values.data() + row * plane.width + tap.first;
      float sum = 0;
      for (const float share : tap.shares) sum += share * *from++;
      turned.values.push_back(sum);
    }
  return turned;
}

Plane channel(const Image& image, std::int64_t number) {
  Plane plane{.width = image.width, .height = image.height, .values = {}};
  for (auto i = static_cast<std::size_t>(number); i < image.bytes.size(); i += static_cast<std::size_t>(image.channels))
    plane.values.push_back(static_cast<float>(image.bytes[i]));
  return plane;
}

}  // namespace

std::int64_t channels_of(const std::vector<std::int64_t>& shape) {
  if (shape.size() == 2) return 1;
  if (shape.size() == 3 && (shape[0] == 1 || shape[0] == 3)) return shape[0];
  throw_invalid("the network's samples are no images, grey or in colours; give them as .npy");
}

std::vector<float> sample_of(const Image& image, const std::vector<std::int64_t>& shape, float byte_scale) {
  const std::int64_t height = shape[shape.size() - 2];
  const std::int64_t width = shape.back();
  std::vector<float> sample;
  for (std::int64_t number = 0; number < channels_of(shape); ++number) {
    const Plane plane = scaled_and_turned(scaled_and_turned(channel(image, number), width), height);
    for (const float value : plane.values) sample.push_back(byte_scale * value);
  }
  return sample;
}

}  // namespace troupe::cli
