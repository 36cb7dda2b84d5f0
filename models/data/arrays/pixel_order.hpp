#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "models/files/number_array.hpp"

namespace troupe {

/// The order of the dimensions of an array of images: (samples, channels, height, width) for `nchw`, (samples, height,
/// width, channels) for `nhwc`.
enum class PixelOrder : std::uint8_t { nchw, nhwc };

/// Returns the order that `text` names, "nchw" or "nhwc".
/// @param data the name of the data, for the error message
/// @throws Error invalid_argument for any other text
PixelOrder pixel_order_of(const std::string& data, const std::string& text);

/// Returns whether the array contains images in the order NHWC. An array without exactly four dimensions does not.
/// @param order the known order. Empty: the result is true if the last dimension has at most 4 elements and the second
/// dimension has more. Otherwise such images would be at most 4 pixels wide and have more than 4 channels, which is
/// unlikely
bool is_nhwc(const NumberArray& images, std::optional<PixelOrder> order);

/// Converts images from NHWC to NCHW. Does not change arrays in any other order. If the elements are not in memory
/// (NumberArray::bytes is empty), converts the shape only.
void bring_to_nchw(NumberArray& images, std::optional<PixelOrder> order);

}  // namespace troupe
