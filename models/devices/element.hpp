#pragma once

#include <cstddef>
#include <cstdint>

namespace troupe {

/// The type in which a value between two layers (an activation) is stored.
enum class Element : std::uint8_t { f32, bf16 };

inline std::size_t size_of(Element element) { return element == Element::f32 ? 4 : 2; }

}  // namespace troupe
