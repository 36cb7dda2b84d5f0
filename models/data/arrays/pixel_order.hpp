#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "models/files/number_array.hpp"

namespace troupe {

/// How pictures lie in an array.
enum class PixelOrder : std::uint8_t { nchw, nhwc };

/// "nchw" or "nhwc". @param data whose option it is, for errors. @throws Error invalid_argument
PixelOrder pixel_order_of(const std::string& data, const std::string& text);

/// By its shape, unless it is told: no picture is four pixels wide and has more than four channels.
bool is_nhwc(const NumberArray& images, std::optional<PixelOrder> order);

/// Pixels side by side become planes; other arrays stay as they are. An array without bytes gets the shape alone.
void bring_to_nchw(NumberArray& images, std::optional<PixelOrder> order);

}  // namespace troupe
