#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace troupe::cli {

/// Numbers that steps come with, for a chart: of however many steps, some thousand stretches, each with the least, the
/// most and the sum of its steps' numbers. Twice as many steps make stretches twice as long.
template <std::size_t Width>
class Thinned {
 public:
  static constexpr std::size_t kMostStretches = 2048;  ///< more than a chart has pixels

  struct Stretch {
    double first = 0;  ///< step
    double last = 0;
    std::int64_t count = 0;
    std::array<double, Width> least{};
    std::array<double, Width> most{};
    std::array<double, Width> sum{};
  };

  /// Of a later step than the ones before. Numbers are finite.
  void add(double step, const std::array<double, Width>& numbers) {
    const Stretch one{.first = step, .last = step, .count = 1, .least = numbers, .most = numbers, .sum = numbers};
    if (!stretches_.empty() && stretches_.back().count < length_) return join(stretches_.back(), one);
    if (stretches_.size() == kMostStretches) halve();
    stretches_.push_back(one);
  }

  const std::vector<Stretch>& stretches() const { return stretches_; }

 private:
  static void join(Stretch& to, const Stretch& next) {
    to.last = next.last;
    to.count += next.count;
    for (std::size_t i = 0; i < Width; ++i) {
      to.least[i] = next.least[i] < to.least[i] ? next.least[i] : to.least[i];
      to.most[i] = next.most[i] > to.most[i] ? next.most[i] : to.most[i];
      to.sum[i] += next.sum[i];
    }
  }

  void halve() {
    for (std::size_t i = 0; i < kMostStretches / 2; ++i) {
      stretches_[i] = stretches_[2 * i];
      join(stretches_[i], stretches_[2 * i + 1]);
    }
    stretches_.resize(kMostStretches / 2);
    length_ *= 2;
  }

  std::int64_t length_ = 1;  ///< steps of a stretch
  std::vector<Stretch> stretches_;
};

}  // namespace troupe::cli
