#pragma once

// Transforms of samples, such as normalization and random augmentation:
//
//    auto data = troupe::data::transform(troupe::load_data("cifar10:data"), "crop 32 4, flip, normalise");

#include <string>

#include "troupe/data.hpp"

namespace troupe::data {

/// Returns the same data with transforms applied to each sample. `transforms` lists them, separated by commas, in
/// order:
///
/// - `normalise [MEAN... DEVIATION...]` works on any samples. It subtracts the mean and divides by the standard
///   deviation, for each channel of images or for each value of other samples. If no numbers are given, they are
///   measured on samples of the training set with at most 16 million values together, but on at least 1,000 samples.
/// - `intercept` works on samples with one dimension. It appends the value 1, so that a linear regression learns an
///   intercept.
/// - `resize HEIGHT [WIDTH]` scales images with a triangle filter and ignores the aspect ratio. If WIDTH is missing, it
///   is HEIGHT.
/// - `crop SIDE [PADDING]` cuts a random square out of an image with PADDING zeros added on each side.
/// - `flip` mirrors an image horizontally with probability 1/2.
/// - `rotate DEGREES` rotates an image about its center by a random angle of at most DEGREES, with bilinear
///   interpolation and zeros outside.
/// - `colour AMOUNT` multiplies brightness, contrast and saturation of an image by random factors in [1 - AMOUNT, 1 +
///   AMOUNT].
/// - `cutout SIDE` sets a random square of an image to zero.
///
/// Random transforms depend only on (seed, sample, epoch) and apply to training only. In evaluations `crop` cuts out
/// the center, and the other random transforms do nothing. Images are samples {height, width} or {channels, height,
/// width}.
/// @param data training set, and optional test and validation sets; all are transformed.
/// @param transforms empty: the data is returned unchanged.
/// @throws Error invalid_argument for an unknown transform, invalid numbers, or samples of an unsupported shape.
TrainingData transform(TrainingData data, const std::string& transforms);

}  // namespace troupe::data
