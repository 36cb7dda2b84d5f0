#pragma once

#include <cstdint>
#include <span>

#include "runtime/random.hpp"

namespace troupe {

/// Returns the random generator for the mock images of a shard. Its random numbers are independent of all other random
/// numbers that are drawn for the same seed and shard.
Random mock_image_random(std::uint64_t seed, int shard);

/// Fills `pixels` and then `labels` with random numbers from `random`. Pixels have about the distribution of
/// photographs: normal with mean 127 and standard deviation 60; values outside 0 to 255 are drawn again. Labels are
/// uniform integers from 0 to `classes - 1`.
void draw_mock_images(Random random, int classes, std::span<float> pixels, std::span<std::int32_t> labels);

}  // namespace troupe
