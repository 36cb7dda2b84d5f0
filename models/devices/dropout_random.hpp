#pragma once

#include <cstdint>

#include "runtime/random.hpp"
#include "troupe/layer.hpp"

namespace troupe {

/// What a dropout draws for a batch, one uniform number a value, sample by sample and row-major, however the device
/// lays them out.
inline Random dropout_random(const BatchContext& at) {
  constexpr std::uint64_t kStream = 0x64726F70ULL << 32;  // apart from the numbers that are drawn for other ends
  constexpr std::uint64_t kMostLayers = std::uint64_t{1} << 20;
  return Random(at.seed, kStream + static_cast<std::uint64_t>(at.shard),
                static_cast<std::uint64_t>(at.step) * kMostLayers + static_cast<std::uint64_t>(at.layer));
}

}  // namespace troupe
