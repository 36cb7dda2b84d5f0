#pragma once

#include <cstdint>
#include <span>
#include <utility>

#include "runtime/random.hpp"

namespace troupe {

/// Shuffles elements (Fisher-Yates).
template <class T>
void shuffle(std::span<T> elements, Random& random) {
  for (std::size_t left = elements.size(); left > 1; --left)
    std::swap(elements[left - 1], elements[static_cast<std::size_t>(random.below(left))]);
}

}  // namespace troupe
