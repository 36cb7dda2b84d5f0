#pragma once

#include <algorithm>
#include <utility>

#include "models/cuda/kernels/dispatch.hpp"

// Sums over the rows of a matrix in an order that depends only on its size, so that results are bitwise reproducible.
// The caller computes stage one: run r of `runs` runs sums up, in floats, the rows r, r + runs, r + 2 * runs, ... and
// writes a row of partial sums. Neighbouring indices therefore read neighbouring rows. The functions here add up the
// partial sums in doubles, 16 at a time.
namespace troupe::cuda {

/// The number of partial sums that are added at a time.
inline constexpr std::size_t kFanIn = 16;

/// The distribution of rows to runs.
struct Runs {
  std::size_t rows;
  std::size_t count;
  std::size_t longest;

  Runs(std::size_t the_rows, std::size_t length)
      : rows(the_rows), count(divide_up(rows, length)), longest(divide_up(rows, count)) {}

  /// Returns the number of rows of a run. A counted loop can be unrolled by the compiler, to load several rows at a
  /// time.
  TROUPE_HOST_DEVICE std::size_t length(std::size_t run) const {
    return (longest - 1) * count + run < rows ? longest : longest - 1;
  }
};

struct SumPlan {
  Runs runs;
  std::size_t columns;  ///< number of sums: channels times sums per channel

  SumPlan(std::int64_t rows, std::int64_t channels, int sums)
      : runs(static_cast<std::size_t>(rows), run_length(rows, channels)),
        columns(static_cast<std::size_t>(channels * sums)) {}

  std::size_t float_bytes() const { return divide_up(runs.count * columns * sizeof(float), kPackBytes) * kPackBytes; }
  std::size_t doubles() const { return divide_up(runs.count, kFanIn) * columns; }
  std::size_t more_doubles() const { return divide_up(runs.count, kFanIn * kFanIn) * columns; }
  std::size_t scratch_bytes() const { return float_bytes() + (doubles() + more_doubles()) * sizeof(double); }

 private:
  /// Runs are as short as possible with about a million partial sums (those of 128 K threads with 8 channels each).
  /// They are not so short that the partial sums outweigh the input, and not so long that floats become inexact.
  static std::size_t run_length(std::int64_t rows, std::int64_t channels) {
    constexpr std::int64_t kValuesOfStage = std::int64_t{1} << 20;
    constexpr std::int64_t kShortest = 16;
    constexpr std::int64_t kLongest = 128;
    return static_cast<std::size_t>(std::clamp(rows * channels / kValuesOfStage, kShortest, kLongest));
  }
};

/// The last stage: at most 16 rows of partial sums.
template <class From>
struct LastSums {
  const From* sums;
  std::size_t count;
  std::size_t columns;

  TROUPE_HOST_DEVICE double total(std::size_t column) const {
    double total = 0;
    for (std::size_t row = 0; row < count; ++row) total += sums[row * columns + column];
    return total;
  }
};

/// Per index: adds up 16 rows of one column; the last index may have fewer rows.
template <class From>
struct AddSixteen {
  const From* from;
  double* to;
  std::size_t count;  ///< rows
  std::uint32_t columns;

  TROUPE_HOST_DEVICE void operator()(std::size_t index) const {
    const Divided at = divide(index, columns);
    const std::size_t first = at.quotient * kFanIn;
    const std::size_t left = count - first;
    to[index] = LastSums<From>{from + first * columns, left < kFanIn ? left : kFanIn, columns}.total(at.remainder);
  }
};

/// Adds up the runs' partial sums, [runs][columns] floats at the start of the scratch memory, until at most 16 rows
/// remain. Passes these to finish(LastSums).
template <class Finish>
void add_up(cudaStream_t stream, const SumPlan& plan, void* scratch, const Finish& finish) {
  const auto* const floats = static_cast<const float*>(scratch);
  if (plan.runs.count <= kFanIn) return finish(LastSums<float>{floats, plan.runs.count, plan.columns});
  auto* from = reinterpret_cast<double*>(static_cast<std::byte*>(scratch) + plan.float_bytes());
  double* to = from + plan.doubles();
  const auto columns = static_cast<std::uint32_t>(plan.columns);
  std::size_t count = divide_up(plan.runs.count, kFanIn);
  for_each(stream, count * plan.columns, AddSixteen<float>{floats, from, plan.runs.count, columns});
  while (count > kFanIn) {
    const std::size_t fewer = divide_up(count, kFanIn);
    for_each(stream, fewer * plan.columns, AddSixteen<double>{from, to, count, columns});
    std::swap(from, to);
    count = fewer;
  }
  finish(LastSums<double>{from, count, plan.columns});
}

}  // namespace troupe::cuda
