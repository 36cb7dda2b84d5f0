#pragma once

// Transforms of samples, such as normalization and random augmentation:
//
//    auto data = troupe::data::transform(troupe::load_data("cifar10:data"), "crop 32 4, flip, normalise");

#include <string>

#include "troupe/data.hpp"

namespace troupe::data {

/// Returns the same data with transforms applied to each sample. `transforms` lists the transforms, separated by
/// commas, in the order in which they are applied:
///
/// - `normalise [MEAN... DEVIATION...]` works on any samples. It subtracts the mean and divides by the standard
///   deviation, for each channel of images or for each value of other samples. If no numbers are given, means and
///   deviations are measured on the training set. The measurement uses samples with at most 16 million values together,
///   but at least 1,000 samples.
/// - `intercept` works on samples with one dimension. It appends the value 1, so that a linear regression learns an
///   intercept.
/// - `resize HEIGHT [WIDTH]` scales images to this size with a triangle filter, and does not keep their aspect ratio.
///   WIDTH defaults to HEIGHT.
/// - `crop SIDE [PADDING]` adds PADDING zeros on each side of an image, and then cuts out a square of SIDE x SIDE
///   pixels at a random position.
/// - `flip` mirrors an image horizontally with probability 1/2.
/// - `rotate DEGREES` rotates an image about its center by a random angle of at most DEGREES in either direction, with
///   bilinear interpolation. Pixels from outside the image are zero.
/// - `colour AMOUNT` multiplies brightness, contrast and saturation of an image by three random factors in [1 - AMOUNT,
///   1 + AMOUNT].
/// - `cutout SIDE` sets a square of SIDE x SIDE pixels at a random position of an image to zero.
///
/// Random transforms depend only on (seed, sample, epoch) and apply to training only. In evaluations, `crop` cuts out
/// the center, and the other random transforms do nothing. Images are samples with the shape {height, width} or
/// {channels, height, width}.
/// @param data training set, and optional test and validation sets, to which the transforms are applied.
/// @param transforms the list of transforms. If it is empty, the data is returned unchanged.
/// @throws Error invalid_argument for an unknown transform, invalid numbers, or samples of an unsupported shape.
TrainingData transform(TrainingData data, const std::string& transforms);

}  // namespace troupe::data
