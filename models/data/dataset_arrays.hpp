#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "troupe/data.hpp"

namespace troupe {

/// Where a Dataset's samples lie: in vectors, or in memory that others hold, too.
struct DatasetArrays {
  std::span<const float> values;        ///< either these
  std::span<const std::uint8_t> bytes;  ///< or these, which `scale` makes floats of
  float scale = 1;
  std::span<const std::int32_t> labels;
  std::span<const float> targets;
  std::shared_ptr<const void> memory;  ///< in which they lie

  /// Moves a vector to memory that is held.
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
  /// Of samples that have been checked.
  static Dataset make(DataInfo info, DatasetArrays arrays) {
    return {std::move(info), std::make_shared<const DatasetArrays>(std::move(arrays))};
  }
};

}  // namespace troupe
