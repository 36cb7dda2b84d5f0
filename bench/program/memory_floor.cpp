#include "bench/program/memory_floor.hpp"

#include <algorithm>
#include <array>
#include <thread>
#include <utility>

#include "runtime/clock.hpp"
#include "runtime/processes/limits.hpp"
#include "runtime/simd.hpp"

namespace troupe::bench {
namespace {

constexpr float kRate = 1e-6F;

TROUPE_CLONES void update1(float* __restrict w, const float* a, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) w[i] -= kRate * a[i];
}
TROUPE_CLONES void update2(float* __restrict w, const float* a, const float* b, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) w[i] -= kRate * (a[i] + b[i]);
}
TROUPE_CLONES void update4(float* __restrict w, const float* a, const float* b, const float* c, const float* d,
                           std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) w[i] -= kRate * (a[i] + b[i] + c[i] + d[i]);
}

constexpr std::size_t kChunk = 4096;  ///< fits the first-level cache, so that each float is read from memory once

}  // namespace

MemoryFloor::MemoryFloor(std::size_t parameters, std::size_t gradients, std::size_t threads)
    : threads_(threads), gradients_(gradients, std::vector<float>(parameters, 1)), weights_(parameters, 1) {}

double MemoryFloor::measure() {
  const Stopwatch watch;
  std::vector<std::jthread> pool;
  const std::size_t n = weights_.size();
  for (std::size_t t = 0; t < threads_; ++t)
    pool.push_back(start_thread<std::jthread>(
        [this, begin = n * t / threads_, end = n * (t + 1) / threads_] { pass(begin, end); }));
  for (std::jthread& thread : pool) thread.join();
  return watch.seconds();
}

void MemoryFloor::pass(std::size_t begin, std::size_t end) {
  for (std::size_t at = begin; at < end; at += kChunk) {
    const std::size_t count = std::min(kChunk, end - at);
    float* w = weights_.data() + at;
    const auto gradient = [&](std::size_t i) { return gradients_[i].data() + at; };
    std::size_t i = 0;
    for (; i + 4 <= gradients_.size(); i += 4)
      update4(w, gradient(i), gradient(i + 1), gradient(i + 2), gradient(i + 3), count);
    for (; i + 2 <= gradients_.size(); i += 2) update2(w, gradient(i), gradient(i + 1), count);
    for (; i < gradients_.size(); ++i) update1(w, gradient(i), count);
  }
}

}  // namespace troupe::bench
