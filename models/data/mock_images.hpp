#pragma once

#include <cstdint>
#include <span>

#include "runtime/random.hpp"

namespace troupe {

/// Returns the generator for the mock images of a shard. Its random numbers are independent of all others that are
/// drawn for this seed and shard.
Random mock_image_random(std::uint64_t seed, int shard);

/// Draws pixels with about the distribution of photographs: normal with mean 127 and deviation 60, without values
/// outside 0 to 255. Then draws labels, uniform in [0, classes).
void draw_mock_images(Random random, int classes, std::span<float> pixels, std::span<std::int32_t> labels);

}  // namespace troupe
