#pragma once

#include <cstdint>

#include "models/cpu/layout.hpp"

namespace troupe::cpu {

/// Row-major samples of `shape`, as floats, to a layout with its padding channels zero, and back.
void pack(const float* samples, const SampleShape& shape, const Layout& layout, std::int64_t batch, void* to);
void unpack(const void* from, const SampleShape& shape, const Layout& layout, std::int64_t batch, float* samples);

/// Zeroes the channels of a layout that are not the samples'.
void clear_padding(const SampleShape& shape, const Layout& layout, std::int64_t batch, void* values);

}  // namespace troupe::cpu
