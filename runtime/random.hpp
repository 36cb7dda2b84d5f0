#pragma once

#include <array>
#include <cstdint>

namespace troupe {

/// Philox4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011): four random words that
/// are a pure function of key and counter.
std::array<std::uint32_t, 4> philox(std::uint64_t key, std::uint64_t counter_high, std::uint64_t counter_low);

/// 64 bits of the system's, which nobody else has: to name a run, or a file.
std::uint64_t drawn_name();

/// A stream of random numbers named by (seed, stream, substream). Two equal names give equal words and uniform numbers
/// everywhere; normal ones are the same wherever the C library is, whose `log` and `cos` round as they like.
class Random {
 public:
  explicit Random(std::uint64_t seed, std::uint64_t stream = 0, std::uint64_t substream = 0);

  std::uint32_t next();
  /// Uniform in [0, 1), 24 bits.
  float uniform();
  /// Uniform in [0, bound). @pre bound > 0
  std::uint64_t below(std::uint64_t bound);
  /// Standard normal (Box-Muller).
  double normal();

 private:
  std::uint64_t key_;
  std::uint64_t counter_high_;
  std::uint64_t counter_low_ = 0;
  std::array<std::uint32_t, 4> block_{};
  int used_ = 4;
};

}  // namespace troupe
