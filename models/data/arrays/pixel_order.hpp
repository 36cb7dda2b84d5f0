#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "models/files/number_array.hpp"

namespace troupe {

/// The order of an image's elements in an array.
enum class PixelOrder : std::uint8_t { nchw, nhwc };

/// Parses "nchw" or "nhwc". @param data the name of the data, for errors. @throws Error invalid_argument
PixelOrder pixel_order_of(const std::string& data, const std::string& text);

/// Decides by the shape, unless `order` is given: no image is at most four pixels wide and has more than four channels.
bool is_nhwc(const NumberArray& images, std::optional<PixelOrder> order);

/// Converts interleaved pixels to planes; does not change other arrays. For an array without bytes, changes only the
/// shape.
void bring_to_nchw(NumberArray& images, std::optional<PixelOrder> order);

}  // namespace troupe
