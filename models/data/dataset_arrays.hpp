#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "troupe/data.hpp"

namespace troupe {

/// The arrays of a Dataset: views of vectors or of shared memory, which `memory` keeps alive.
struct DatasetArrays {
  std::span<const float> values;        ///< the values of all samples; empty if `bytes` contains them
  std::span<const std::uint8_t> bytes;  ///< the values of all samples as bytes; a value is its byte times `scale`;
                                        ///< empty if `values` contains them
  float scale = 1;
  std::span<const std::int32_t> labels;
  std::span<const float> targets;
  std::shared_ptr<const void> memory;  ///< keeps the memory of the arrays alive

  /// Moves a vector into `memory`, which also keeps its previous content. Returns a view of the vector's elements.
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
  /// Returns a Dataset with these arrays. Does not check the samples; the caller must have checked them.
  static Dataset make(DataInfo info, DatasetArrays arrays) {
    return {std::move(info), std::make_shared<const DatasetArrays>(std::move(arrays))};
  }
};

}  // namespace troupe
