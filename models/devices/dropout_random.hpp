#pragma once

#include <cstdint>

#include "runtime/random.hpp"
#include "troupe/layer.hpp"

namespace troupe {

/// Returns the stream of random numbers of a dropout layer for one batch. Each value of the batch uses one uniform
/// number. Numbers are assigned to values sample by sample and row-major, so that they do not depend on the memory
/// layout of the device.
inline Random dropout_random(const BatchContext& at) {
  constexpr std::uint64_t kStream = 0x64726F70ULL << 32;  // separates these numbers from other uses of the seed
  constexpr std::uint64_t kMostLayers = std::uint64_t{1} << 20;
  constexpr std::uint64_t kBetweenSlices = 0x9E3779B97F4A7C15;  // 2^64 over the golden ratio: spreads the seeds
  return Random(at.seed + static_cast<std::uint64_t>(at.slice) * kBetweenSlices,
                kStream + static_cast<std::uint64_t>(at.shard),
                static_cast<std::uint64_t>(at.step) * kMostLayers + static_cast<std::uint64_t>(at.layer));
}

}  // namespace troupe
