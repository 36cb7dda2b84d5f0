#pragma once

#include <cstddef>
#include <cstdint>

namespace troupe {

/// The storage type of an activation.
enum class Element : std::uint8_t { f32, bf16 };

inline std::size_t size_of(Element element) { return element == Element::f32 ? 4 : 2; }

}  // namespace troupe
