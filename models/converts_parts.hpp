#pragma once

#include <cstddef>
#include <span>

namespace troupe {

/// The interface of models that can convert a part of a flat vector to canonical order. Thus a worker can send a long
/// vector in several short requests.
class ConvertsParts {
 public:
  ConvertsParts() = default;
  ConvertsParts(const ConvertsParts&) = delete;
  ConvertsParts& operator=(const ConvertsParts&) = delete;
  virtual ~ConvertsParts() = default;

  /// Writes a range of the canonical vector to `part`: the floats from index `begin` on, `part.size()` of them.
  /// @param weights the whole flat vector
  virtual void part_to_canonical(std::span<const float> weights, std::size_t begin, std::span<float> part) const = 0;
};

}  // namespace troupe
