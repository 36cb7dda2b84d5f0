#pragma once

#include <cstdint>
#include <span>

#include "runtime/random.hpp"

namespace troupe {

/// Returns the random numbers for the mock images of a shard; they are independent of others for this shard.
Random mock_image_random(std::uint64_t seed, int shard);

/// Draws pixels with the distribution of photographs (normal, mean 127, deviation 60, limited to the range of a byte),
/// then labels, uniform in [0, classes).
void draw_mock_images(Random random, int classes, std::span<float> pixels, std::span<std::int32_t> labels);

}  // namespace troupe
