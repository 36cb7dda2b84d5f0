#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "runtime/random.hpp"
#include "troupe/batches.hpp"

namespace troupe {

/// Returns the random generator for the mock images of a shard. Its random numbers are independent of all other random
/// numbers that are drawn for the same seed and shard.
Random mock_image_random(std::uint64_t seed, int shard);

/// Fills `pixels` and then `labels` with random numbers from `random`. Pixels have about the distribution of
/// photographs: normal with mean 127 and standard deviation 60; values outside 0 to 255 are drawn again. Labels are
/// uniform integers from 0 to `classes - 1`.
void draw_mock_images(Random random, int classes, std::span<float> pixels, std::span<std::int32_t> labels);

/// Returns a source of batches with random images (see draw_mock_images). Each shard has a single batch, which is
/// generated at the first request and returned at every step. The batch depends only on the seed, the shard and the
/// arguments. There is no test set.
/// @param size the height and width of the images in pixels
std::unique_ptr<BatchSource> mock_image_batches(std::int64_t size, int classes, std::int64_t batch_size);

}  // namespace troupe
