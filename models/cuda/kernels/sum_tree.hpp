#pragma once

#include <algorithm>
#include <utility>

#include "models/cuda/kernels/dispatch.hpp"

// Sums over the rows of a matrix in an order that depends only on the size of the matrix, so that results are bitwise
// reproducible. There are two stages:
//
// - The caller divides the rows into runs. Run r of n runs consists of the rows r, r + n, r + 2 n and so on. The caller
//   adds the rows of each run in floats, and writes the sums of a run as one row of partial sums. Neighbouring indices
//   of the caller's kernel read neighbouring rows.
// - The functions of this file add the rows of partial sums in doubles, 16 rows at a time.
namespace troupe::cuda {

/// The number of rows of partial sums that are replaced by one row, their sum, at a time.
inline constexpr std::size_t kFanIn = 16;

/// How the rows of a matrix are divided into runs.
struct Runs {
  std::size_t rows;
  std::size_t count;    ///< number of runs
  std::size_t longest;  ///< number of rows of the longest run

  Runs(std::size_t the_rows, std::size_t length)
      : rows(the_rows), count(divide_up(rows, length)), longest(divide_up(rows, count)) {}

  /// Returns the number of rows of run `run`. A kernel should call this function before its loop over the rows: the
  /// compiler can then unroll the loop and load several rows at a time.
  TROUPE_HOST_DEVICE std::size_t length(std::size_t run) const {
    return (longest - 1) * count + run < rows ? longest : longest - 1;
  }
};

struct SumPlan {
  Runs runs;
  std::size_t columns;  ///< number of partial sums of one run: channels x sums of each channel

  SumPlan(std::int64_t rows, std::int64_t channels, int sums)
      : runs(static_cast<std::size_t>(rows), run_length(rows, channels)),
        columns(static_cast<std::size_t>(channels * sums)) {}

  std::size_t float_bytes() const { return divide_up(runs.count * columns * sizeof(float), kPackBytes) * kPackBytes; }
  std::size_t doubles() const { return divide_up(runs.count, kFanIn) * columns; }
  std::size_t more_doubles() const { return divide_up(runs.count, kFanIn * kFanIn) * columns; }
  std::size_t scratch_bytes() const { return float_bytes() + (doubles() + more_doubles()) * sizeof(double); }

 private:
  /// Returns the number of rows of a run. The number is chosen so that there are about 2^20 partial sums, which are
  /// enough work for 2^17 threads with 8 channels each. The number is at least 16, so that there are far fewer partial
  /// sums than inputs. It is at most 128, so that sums of floats are precise enough.
  static std::size_t run_length(std::int64_t rows, std::int64_t channels) {
    constexpr std::int64_t kValuesOfStage = std::int64_t{1} << 20;
    constexpr std::int64_t kShortest = 16;
    constexpr std::int64_t kLongest = 128;
    return static_cast<std::size_t>(std::clamp(rows * channels / kValuesOfStage, kShortest, kLongest));
  }
};

/// The last rows of partial sums, at most 16, which `total` adds.
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

/// A kernel in which each index adds 16 rows of one column. At the end of the matrix there may be fewer than 16 rows to
/// add.
template <class From>
struct AddSixteen {
  const From* from;
  double* to;
  std::size_t count;  ///< number of rows
  std::uint32_t columns;

  TROUPE_HOST_DEVICE void operator()(std::size_t index) const {
    const Divided at = divide(index, columns);
    const std::size_t first = at.quotient * kFanIn;
    const std::size_t left = count - first;
    to[index] = LastSums<From>{from + first * columns, left < kFanIn ? left : kFanIn, columns}.total(at.remainder);
  }
};

/// Adds the partial sums of all runs until at most 16 rows remain. Then calls finish(LastSums) with these rows. At the
/// start of `scratch`, the caller must have written the partial sums: [runs][columns] floats.
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
