#pragma once

#include <cstdint>

#include "models/cpu/layout.hpp"

namespace troupe::cpu {

/// Converts row-major samples of floats to a layout, with zeros in the padding channels. `unpack` converts in the other
/// direction.
void pack(const float* samples, const SampleShape& shape, const Layout& layout, std::int64_t batch, void* to);
void unpack(const void* from, const SampleShape& shape, const Layout& layout, std::int64_t batch, float* samples);

/// Sets the padding channels of a layout to zero.
void clear_padding(const SampleShape& shape, const Layout& layout, std::int64_t batch, void* values);

}  // namespace troupe::cpu
