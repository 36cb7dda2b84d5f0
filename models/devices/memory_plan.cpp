#include "models/devices/memory_plan.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "models/aligned.hpp"

namespace troupe {

namespace {

struct Placed {
  std::size_t begin;
  std::size_t end;
  std::size_t buffer;
};

std::size_t aligned(std::size_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

bool together(const Lifetime& a, const Lifetime& b) { return a.first <= b.last && b.first <= a.last; }

/// Returns the offset in bytes of the smallest gap of at least `bytes` bytes between the buffers in `taken`, which are
/// sorted by offset. After the last buffer there is unlimited space, so there is always a result.
std::size_t best_gap(const std::vector<Placed>& taken, std::size_t bytes) {
  std::size_t best = 0;
  std::size_t smallest = std::numeric_limits<std::size_t>::max();
  std::size_t free_from = 0;
  for (const Placed& each : taken) {
    if (each.begin >= free_from + bytes && each.begin - free_from < smallest) {
      smallest = each.begin - free_from;
      best = free_from;
    }
    free_from = std::max(free_from, each.end);
  }
  return smallest == std::numeric_limits<std::size_t>::max() ? free_from : best;
}

}  // namespace

MemoryPlan plan_memory(std::span<const Lifetime> buffers) {
  std::vector<std::size_t> order(buffers.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater{}, [&](std::size_t i) { return buffers[i].bytes; });

  MemoryPlan plan{.offsets = std::vector<std::size_t>(buffers.size()), .bytes = 0};
  std::vector<Placed> placed;  // sorted by begin
  for (const std::size_t buffer : order) {
    std::vector<Placed> taken;
    std::ranges::copy_if(placed, std::back_inserter(taken),
                         [&](const Placed& other) { return together(buffers[other.buffer], buffers[buffer]); });
    const std::size_t bytes = aligned(buffers[buffer].bytes);
    const Placed fresh{best_gap(taken, bytes), 0, buffer};
    plan.offsets[buffer] = fresh.begin;
    plan.bytes = std::max(plan.bytes, fresh.begin + bytes);
    const auto where = std::ranges::upper_bound(placed, fresh.begin, {}, &Placed::begin);
    placed.insert(where, {fresh.begin, fresh.begin + bytes, buffer});
  }
  return plan;
}

}  // namespace troupe
