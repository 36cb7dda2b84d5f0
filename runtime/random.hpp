#pragma once

#include <array>
#include <cstdint>

namespace troupe {

/// Returns four random 32-bit numbers, which depend only on the key and the 128-bit counter. The generator is
/// Philox4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011).
constexpr std::array<std::uint32_t, 4> philox(std::uint64_t key, std::uint64_t counter_high,
                                              std::uint64_t counter_low) {
  auto k0 = static_cast<std::uint32_t>(key);
  auto k1 = static_cast<std::uint32_t>(key >> 32);
  std::array<std::uint32_t, 4> c{static_cast<std::uint32_t>(counter_low), static_cast<std::uint32_t>(counter_low >> 32),
                                 static_cast<std::uint32_t>(counter_high),
                                 static_cast<std::uint32_t>(counter_high >> 32)};
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t p0 = std::uint64_t{0xD2511F53U} * c[0];
    const std::uint64_t p1 = std::uint64_t{0xCD9E8D57U} * c[2];
    c = {static_cast<std::uint32_t>(p1 >> 32) ^ c[1] ^ k0, static_cast<std::uint32_t>(p1),
         static_cast<std::uint32_t>(p0 >> 32) ^ c[3] ^ k1, static_cast<std::uint32_t>(p0)};
    k0 += 0x9E3779B9U;
    k1 += 0xBB67AE85U;
  }
  return c;
}

/// Converts a random 32-bit number to a float that is uniformly distributed in [0, 1). Uses the upper 24 bits of
/// `word`.
constexpr float uniform_of(std::uint32_t word) { return static_cast<float>(word >> 8) * 0x1p-24F; }

/// A stream of random 32-bit numbers, which can be read in any order, as kernels need it. Number n of the stream is
/// `words(n / 4)[n % 4]`.
struct RandomStream {
  std::uint64_t key = 0;
  std::uint64_t counter_high = 0;

  constexpr std::array<std::uint32_t, 4> words(std::uint64_t block) const { return philox(key, counter_high, block); }
};

/// Returns a 64-bit number from the system's source of randomness, from which callers make a unique name of a run or a
/// file.
std::uint64_t drawn_name();

/// A stream of random numbers, identified by (seed, stream, substream). Streams with the same identity return bitwise
/// identical results of `next`, `uniform` and `below` on all machines. The results of `normal` also depend on how the C
/// library rounds `log` and `cos`.
class Random {
 public:
  explicit Random(std::uint64_t seed, std::uint64_t stream = 0, std::uint64_t substream = 0);

  const RandomStream& stream() const { return stream_; }

  /// Returns the next 32-bit number of the stream.
  std::uint32_t next();
  /// Returns a number that is uniformly distributed in [0, 1), with 24 random bits.
  float uniform();
  /// Returns an integer that is uniformly distributed in [0, bound). @pre bound > 0
  std::uint64_t below(std::uint64_t bound);
  /// Returns a number with the standard normal distribution (Box-Muller transform).
  double normal();

 private:
  RandomStream stream_;
  std::uint64_t next_block_ = 0;
  std::array<std::uint32_t, 4> block_{};
  int used_ = 4;
};

}  // namespace troupe
