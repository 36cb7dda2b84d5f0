#include "runtime/random.hpp"

#include <cmath>
#include <numbers>
#include <random>

namespace troupe {
namespace {

struct Product {
  std::uint32_t high;
  std::uint32_t low;
};

Product multiply(std::uint32_t a, std::uint32_t b) {
  const std::uint64_t product = std::uint64_t{a} * b;
  return {static_cast<std::uint32_t>(product >> 32), static_cast<std::uint32_t>(product)};
}

/// Two 64-bit words out of one, for naming streams (the finaliser of SplitMix64).
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

std::array<std::uint32_t, 4> philox(std::uint64_t key, std::uint64_t counter_high, std::uint64_t counter_low) {
  auto k0 = static_cast<std::uint32_t>(key);
  auto k1 = static_cast<std::uint32_t>(key >> 32);
  std::array<std::uint32_t, 4> c{static_cast<std::uint32_t>(counter_low), static_cast<std::uint32_t>(counter_low >> 32),
                                 static_cast<std::uint32_t>(counter_high),
                                 static_cast<std::uint32_t>(counter_high >> 32)};
  for (int round = 0; round < 10; ++round) {
    const Product p0 = multiply(0xD2511F53U, c[0]);
    const Product p1 = multiply(0xCD9E8D57U, c[2]);
    c = {p1.high ^ c[1] ^ k0, p1.low, p0.high ^ c[3] ^ k1, p0.low};
    k0 += 0x9E3779B9U;
    k1 += 0xBB67AE85U;
  }
  return c;
}

Random::Random(std::uint64_t seed, std::uint64_t stream, std::uint64_t substream)
    : key_(seed), counter_high_(mix(stream) ^ (substream * 0x9E3779B97F4A7C15ULL)) {}

std::uint32_t Random::next() {
  if (used_ == 4) {
    block_ = philox(key_, counter_high_, counter_low_++);
    used_ = 0;
  }
  return block_[static_cast<std::size_t>(used_++)];
}

float Random::uniform() { return static_cast<float>(next() >> 8) * 0x1p-24F; }

std::uint64_t Random::below(std::uint64_t bound) {
  // Rejection keeps every value equally likely.
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
