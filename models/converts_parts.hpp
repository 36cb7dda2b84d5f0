#pragma once

#include <cstddef>
#include <span>

namespace troupe {

/// The interface of models that can convert a range of a flat vector to canonical order without converting the whole
/// vector. With this interface, a worker converts and sends a long vector range by range.
class ConvertsParts {
 public:
  ConvertsParts() = default;
  ConvertsParts(const ConvertsParts&) = delete;
  ConvertsParts& operator=(const ConvertsParts&) = delete;
  virtual ~ConvertsParts() = default;

  /// Writes a range of the canonical vector that corresponds to `weights`: its floats from index `begin` to index
  /// `begin + part.size() - 1`.
  /// @param weights the whole flat vector
  /// @param part receives the floats
  virtual void part_to_canonical(std::span<const float> weights, std::size_t begin, std::span<float> part) const = 0;
};

}  // namespace troupe
