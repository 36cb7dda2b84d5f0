#include "models/files/images/scaling.hpp"

#include <algorithm>
#include <cmath>

namespace troupe {

std::vector<Taps> taps_of(std::int64_t first, std::int64_t from, std::int64_t to) {
  const double step = static_cast<double>(from) / static_cast<double>(to);
  const double reach = std::max(1.0, step);
  std::vector<Taps> all(static_cast<std::size_t>(to));
  for (std::int64_t i = 0; i < to; ++i) {
    Taps& taps = all[static_cast<std::size_t>(i)];
    const double middle = (static_cast<double>(i) + 0.5) * step;
    const std::int64_t begin = std::max<std::int64_t>(0, static_cast<std::int64_t>(std::floor(middle - reach)));
    const std::int64_t end = std::min(from, static_cast<std::int64_t>(std::ceil(middle + reach)));
    taps.first = first + begin;
    double sum = 0;
    for (std::int64_t j = begin; j < end; ++j) {
      const double share = std::max(0.0, 1 - std::abs(static_cast<double>(j) + 0.5 - middle) / reach);
      taps.shares.push_back(static_cast<float>(share));
      sum += share;
    }
    for (float& share : taps.shares) share = static_cast<float>(share / sum);
  }
  return all;
}

void scale_columns(const float* rows, std::int64_t width, const std::vector<Taps>& taps, float* to) {
  for (const Taps& each : taps) {
    std::fill(to, to + width, 0.0F);
    const float* from = rows + each.first * width;
    for (const float share : each.shares) {
      for (std::int64_t x = 0; x < width; ++x) to[x] += share * from[x];
      from += width;
    }
    to += width;
  }
}

}  // namespace troupe
