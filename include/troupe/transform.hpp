#pragma once

#include <string>

#include "troupe/data.hpp"

namespace troupe::data {

/// The same data with transforms done to each sample, in this order, such as "crop 28 2, flip, normalise":
/// - `normalise [MEAN... DEVIATION...]`, of any samples, subtracts the mean and divides by the deviation: of each
///   channel of images, of each value of others; without numbers those of the training set, found by 16 million values
///   of it, and at least 1,000 samples
/// - `intercept`, of samples with one dimension: a 1 behind the values, whose weight a linear regression learns
/// - `resize HEIGHT [WIDTH]` of images scales, whatever the proportions, by a triangle filter
/// - `crop SIDE [PADDING]` of images: a square anywhere in the image, around which so many zeros are thought
/// - `flip` of images: left and right exchanged, of every other one
/// - `rotate DEGREES` of images: turned about its middle by up to so much, bilinear, zeros around
/// - `colour AMOUNT` of images: brightness, contrast, saturation, each times a factor in [1 - AMOUNT, 1 + AMOUNT]
/// - `cutout SIDE` of images: a square of zeros anywhere
///
/// What is random is drawn from (seed, sample, epoch) alone, and in training only: elsewhere a crop is the middle, and
/// the others do nothing. Images are samples {height, width} or {channels, height, width}.
/// @throws Error invalid_argument for a transform that there is not, numbers it does not take, or samples it cannot be
/// done to.
TrainingData transform(TrainingData data, const std::string& transforms);

}  // namespace troupe::data
