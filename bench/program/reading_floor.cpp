#include "bench/program/reading_floor.hpp"

#include <array>
#include <thread>

#include "runtime/clock.hpp"
#include "runtime/processes/limits.hpp"
#include "runtime/simd.hpp"

namespace troupe::bench {
namespace {

constexpr std::size_t kLanes = 64;

TROUPE_CLONES float sum(const float* values, std::size_t count) {
  std::array<float, kLanes> sums{};
  for (std::size_t i = 0; i + kLanes <= count; i += kLanes)
    for (std::size_t lane = 0; lane < kLanes; ++lane) sums[lane] += values[i + lane];
  float all = 0;
  for (const float each : sums) all += each;
  return all;
}

}  // namespace

ReadingFloor::ReadingFloor(std::size_t parameters, std::size_t vectors, std::size_t threads)
    : threads_(threads), vectors_(vectors, std::vector<float>(parameters, 1)), sums_(threads) {}

double ReadingFloor::measure() {
  const Stopwatch watch;
  std::vector<std::jthread> pool;
  const std::size_t n = vectors_.front().size();
  for (std::size_t t = 0; t < threads_; ++t)
    pool.push_back(
        start_thread<std::jthread>([this, t, n] { sums_[t] += pass(n * t / threads_, n * (t + 1) / threads_); }));
  for (std::jthread& thread : pool) thread.join();
  return watch.seconds();
}

/// Reads one vector after the other, which is faster than all vectors at the same time.
float ReadingFloor::pass(std::size_t begin, std::size_t end) const {
  float all = 0;
  for (const std::vector<float>& vector : vectors_) all += sum(vector.data() + begin, end - begin);
  return all;
}

}  // namespace troupe::bench
