#include "collectives/exchange/combination.hpp"

#include <array>

#include "runtime/processes/memory.hpp"
#include "runtime/simd.hpp"

namespace troupe {
namespace {

constexpr std::size_t kTogether = 4;

/// Multiplies each of the vectors a, b, c and d by its coefficient, and adds the four products to `sum`. Prefetches the
/// floats at `next`.
/// @param lines the length of each vector, in cache lines of kLineFloats floats
TROUPE_CLONES void add_four(double* __restrict sum, const float* __restrict a, const float* __restrict b,
                            const float* __restrict c, const float* __restrict d, const double* coefficients,
                            std::size_t lines, const float* const* next) {
  const double ca = coefficients[0];
  const double cb = coefficients[1];
  const double cc = coefficients[2];
  const double cd = coefficients[3];
  for (std::size_t begin = 0; begin < lines * kLineFloats; begin += kLineFloats) {
    for (std::size_t each = 0; each < kTogether; ++each) __builtin_prefetch(next[each] + begin);
    for (std::size_t i = begin; i < begin + kLineFloats; ++i) {
      double value = sum[i];
      value += ca * static_cast<double>(a[i]);
      value += cb * static_cast<double>(b[i]);
      value += cc * static_cast<double>(c[i]);
      value += cd * static_cast<double>(d[i]);
      sum[i] = value;
    }
  }
}

TROUPE_CLONES void add_one(double* __restrict sum, const float* __restrict a, double coefficient, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) sum[i] += coefficient * static_cast<double>(a[i]);
}

TROUPE_CLONES void round_to(const double* __restrict sum, std::size_t count, float* __restrict to) {
  for (std::size_t i = 0; i < count; ++i) to[i] = static_cast<float>(sum[i]);
}

}  // namespace

void combine(std::span<const float* const> terms, std::span<const double> coefficients, std::size_t count, float* to,
             std::span<const float* const> next) {
  alignas(64) std::array<double, kCombined> sum;
  std::fill_n(sum.begin(), count, 0.0);
  const std::size_t lines = count / kLineFloats;
  const std::size_t whole = lines * kLineFloats;
  std::size_t done = 0;
  for (; done + kTogether <= terms.size(); done += kTogether) {
    add_four(sum.data(), terms[done], terms[done + 1], terms[done + 2], terms[done + 3], coefficients.data() + done,
             lines, next.data() + done);
    for (std::size_t each = done; each < done + kTogether; ++each)
      add_one(sum.data() + whole, terms[each] + whole, coefficients[each], count - whole);
  }
  for (; done < terms.size(); ++done) add_one(sum.data(), terms[done], coefficients[done], count);
  round_to(sum.data(), count, to);
}

TROUPE_CLONES void widen(const float* __restrict values, std::size_t count, double* __restrict to) {
  for (std::size_t i = 0; i < count; ++i) to[i] = static_cast<double>(values[i]);
}

TROUPE_CLONES void move_along(const float* __restrict from, const float* __restrict direction, double length,
                              std::size_t count, float* __restrict to) {
  for (std::size_t i = 0; i < count; ++i)
    to[i] = static_cast<float>(static_cast<double>(from[i]) + length * static_cast<double>(direction[i]));
}

TROUPE_CLONES void quotient_of_change(const float* __restrict now, const float* __restrict before, double length,
                                      std::size_t count, float* __restrict to) {
  for (std::size_t i = 0; i < count; ++i)
    to[i] = static_cast<float>((static_cast<double>(now[i]) - static_cast<double>(before[i])) / length);
}

}  // namespace troupe
