#pragma once

#include <cstdint>

#include "runtime/random.hpp"
#include "troupe/layer.hpp"

namespace troupe {

/// Returns the random numbers of a dropout layer for a batch: one uniform number per value, sample by sample and
/// row-major, independent of the device's memory layout.
inline Random dropout_random(const BatchContext& at) {
  constexpr std::uint64_t kStream = 0x64726F70ULL << 32;  // separates these numbers from other uses of the seed
  constexpr std::uint64_t kMostLayers = std::uint64_t{1} << 20;
  return Random(at.seed, kStream + static_cast<std::uint64_t>(at.shard),
                static_cast<std::uint64_t>(at.step) * kMostLayers + static_cast<std::uint64_t>(at.layer));
}

}  // namespace troupe
