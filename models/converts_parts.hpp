#pragma once

#include <cstddef>
#include <span>

namespace troupe {

/// A model that can bring a part of a flat vector into canonical order without the rest, for who has not the time for
/// all of it at once.
class ConvertsParts {
 public:
  ConvertsParts() = default;
  ConvertsParts(const ConvertsParts&) = delete;
  ConvertsParts& operator=(const ConvertsParts&) = delete;
  virtual ~ConvertsParts() = default;

  /// Writes the canonical floats from `begin` on, as many as `part` holds.
  virtual void part_to_canonical(std::span<const float> weights, std::size_t begin, std::span<float> part) const = 0;
};

}  // namespace troupe
