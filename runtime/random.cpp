#include "runtime/random.hpp"

#include <cmath>
#include <numbers>
#include <random>

namespace troupe {
namespace {

/// Returns a number in which every bit depends on all bits of `x` (the finalizer of SplitMix64). The counter of a
/// stream is derived with this function.
std::uint64_t mix(std::uint64_t x) {
  x += 0x9E3779B97F4A7C15ULL;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ULL;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBULL;
  return x ^ (x >> 31);
}

}  // namespace

std::uint64_t drawn_name() {
  std::random_device random;
  return (std::uint64_t{random()} << 32) | random();
}

Random::Random(std::uint64_t seed, std::uint64_t stream, std::uint64_t substream)
    : stream_{.key = seed, .counter_high = mix(stream) ^ (substream * 0x9E3779B97F4A7C15ULL)} {}

std::uint32_t Random::next() {
  if (used_ == 4) {
    block_ = stream_.words(next_block_++);
    used_ = 0;
  }
  return block_[static_cast<std::size_t>(used_++)];
}

float Random::uniform() { return uniform_of(next()); }

std::uint64_t Random::below(std::uint64_t bound) {
  // Draws again while the number is not below `limit`, the largest 64-bit multiple of `bound`. Otherwise small results
  // would be more likely than others.
  const std::uint64_t limit = UINT64_MAX - UINT64_MAX % bound;
  for (;;) {
    const std::uint64_t high = next();
    const std::uint64_t value = (high << 32) | next();
    if (value < limit) return value % bound;
  }
}

double Random::normal() {
  const double radius = std::sqrt(-2 * std::log((next() + 0.5) * 0x1p-32));
  return radius * std::cos(2 * std::numbers::pi * next() * 0x1p-32);
}

}  // namespace troupe
