#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "troupe/data.hpp"

namespace troupe {

/// The samples of a Dataset, in vectors or in shared memory.
struct DatasetArrays {
  std::span<const float> values;        ///< either floats
  std::span<const std::uint8_t> bytes;  ///< or bytes, which are multiplied by `scale`
  float scale = 1;
  std::span<const std::int32_t> labels;
  std::span<const float> targets;
  std::shared_ptr<const void> memory;  ///< owns the arrays

  /// Moves a vector into the owned memory.
  template <class T>
  std::span<const T> hold(std::vector<T> elements) {
    struct Held {
      std::vector<T> elements;
      std::shared_ptr<const void> before;
    };
    auto held = std::make_shared<const Held>(Held{std::move(elements), memory});
    memory = held;
    return held->elements;
  }

  static const DatasetArrays& of(const Dataset& set) { return *set.arrays_; }
  /// For samples that have already been checked.
  static Dataset make(DataInfo info, DatasetArrays arrays) {
    return {std::move(info), std::make_shared<const DatasetArrays>(std::move(arrays))};
  }
};

}  // namespace troupe
