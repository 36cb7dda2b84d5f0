#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "models/files/number_array.hpp"

namespace troupe {

/// The order of the dimensions of an array of images: (samples, channels, height, width) for `nchw`, (samples, height,
/// width, channels) for `nhwc`.
enum class PixelOrder : std::uint8_t { nchw, nhwc };

/// Returns the order that `text` names: "nchw" or "nhwc".
/// @param data the name of the kind of data, such as "npy", for the error message
/// @throws Error invalid_argument if `text` is anything else
PixelOrder pixel_order_of(const std::string& data, const std::string& text);

/// Returns whether the array contains images in the order NHWC. Returns false if the array does not have exactly four
/// dimensions.
/// @param order the order, if the user chose it. Empty: the function guesses. It returns true if the length of the last
/// dimension is at most 4, and that of the second dimension is more. In the order NCHW, images with these lengths would
/// be at most 4 pixels wide and have more than 4 channels, which is unlikely
bool is_nhwc(const NumberArray& images, std::optional<PixelOrder> order);

/// Converts images to the order NCHW if `is_nhwc` returns true for them; otherwise does nothing. If the elements are
/// not in memory (NumberArray::bytes is empty), converts only the shape.
void bring_to_nchw(NumberArray& images, std::optional<PixelOrder> order);

}  // namespace troupe
