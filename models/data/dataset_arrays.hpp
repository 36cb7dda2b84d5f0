#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "troupe/data.hpp"

namespace troupe {

/// The arrays of a Dataset. They are views of vectors or of shared memory.
struct DatasetArrays {
  std::span<const float> values;        ///< the samples; empty if they are bytes
  std::span<const std::uint8_t> bytes;  ///< the samples divided by `scale`; empty if they are floats
  float scale = 1;
  std::span<const std::int32_t> labels;
  std::span<const float> targets;
  std::shared_ptr<const void> memory;  ///< keeps the memory of the arrays alive

  /// Moves a vector into `memory`, in addition to its current content. Returns a view of the elements.
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
  /// Returns a Dataset of these arrays, whose samples have already been checked.
  static Dataset make(DataInfo info, DatasetArrays arrays) {
    return {std::move(info), std::make_shared<const DatasetArrays>(std::move(arrays))};
  }
};

}  // namespace troupe
