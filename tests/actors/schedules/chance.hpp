#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace troupe_test {

/// The random numbers of a schedule. All of them follow from the seed.
class Chance {
 public:
  explicit Chance(std::uint64_t seed) : state_(seed) {}

  /// Returns the next number of SplitMix64.
  std::uint64_t next() {
    std::uint64_t x = state_ += 0x9e3779b97f4a7c15U;
    x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
    x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
    return x ^ (x >> 31U);
  }
  /// Returns a uniform number in [0, bound).
  int below(int bound) { return static_cast<int>(next() % static_cast<std::uint64_t>(bound)); }
  bool per_mille(int rate) { return rate > 0 && below(1000) < rate; }
  template <std::size_t kCount>
  int one_of(const std::array<int, kCount>& choices) {
    return choices[static_cast<std::size_t>(below(static_cast<int>(kCount)))];
  }

 private:
  std::uint64_t state_;
};

}  // namespace troupe_test
