#pragma once

#include <cstdint>

#include "models/cpu/layout.hpp"

namespace troupe::cpu {

/// `pack` converts row-major samples of floats to the layout `layout`, and sets padding channels to zero. `unpack`
/// converts samples in this layout to row-major floats.
void pack(const float* samples, const SampleShape& shape, const Layout& layout, std::int64_t batch, void* to);
void unpack(const void* from, const SampleShape& shape, const Layout& layout, std::int64_t batch, float* samples);

/// Sets the padding channels of `batch` samples with this layout to zero.
void clear_padding(const SampleShape& shape, const Layout& layout, std::int64_t batch, void* values);

}  // namespace troupe::cpu
