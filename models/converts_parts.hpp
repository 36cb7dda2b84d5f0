#pragma once

#include <cstddef>
#include <span>

namespace troupe {

/// A model that can convert a part of a flat vector to canonical order. It serves callers that cannot spend the time
/// for the whole vector at once.
class ConvertsParts {
 public:
  ConvertsParts() = default;
  ConvertsParts(const ConvertsParts&) = delete;
  ConvertsParts& operator=(const ConvertsParts&) = delete;
  virtual ~ConvertsParts() = default;

  /// Converts the canonical floats that start at index `begin`; `part.size()` is their number.
  virtual void part_to_canonical(std::span<const float> weights, std::size_t begin, std::span<float> part) const = 0;
};

}  // namespace troupe
