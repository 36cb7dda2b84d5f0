#pragma once

#include <cstdint>
#include <span>

#include "runtime/random.hpp"

namespace troupe {

/// The random numbers of the mock images of a shard, apart from others drawn for it.
Random mock_image_random(std::uint64_t seed, int shard);

/// Draws pixels as photographs have them (normal, mean 127, deviation 60, cut off at the range of a byte), then labels,
/// uniform in [0, classes).
void draw_mock_images(Random random, int classes, std::span<float> pixels, std::span<std::int32_t> labels);

}  // namespace troupe
