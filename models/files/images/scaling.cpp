#include "models/files/images/scaling.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace troupe {
namespace {

/// What each new pixel of a row or column is made of: a triangle over the old ones around it.
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

}  // namespace

void scale_plane(const PlaneView& plane, std::int64_t width, std::int64_t height, std::span<float> to) {
  const std::vector<Taps> columns = taps_of(plane.width, width);
  std::vector<float> narrow(static_cast<std::size_t>(plane.height * width));
  float* next = narrow.data();
  for (std::int64_t row = 0; row < plane.height; ++row)
    for (const Taps& taps : columns) {
      const float* from = plane.values.data() + row * plane.width + taps.first;
      float sum = 0;
      for (const float share : taps.shares) sum += share * *from++;
      *next++ = sum;
    }
  float* out = to.data();
  for (const Taps& taps : taps_of(plane.height, height)) {
    std::fill(out, out + width, 0.0F);
    const float* from = narrow.data() + taps.first * width;
    for (const float share : taps.shares) {
      for (std::int64_t x = 0; x < width; ++x) out[x] += share * from[x];
      from += width;
    }
    out += width;
  }
}

}  // namespace troupe
