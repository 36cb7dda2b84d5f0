#pragma once

#include <cstdint>

namespace troupe {

/// The float of the same value, NaN and infinities included, that IEEE's binary16 or bfloat16 bits stand for.
float from_half(std::uint16_t bits);
float from_bfloat16(std::uint16_t bits);

}  // namespace troupe
