#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/data/arrays/pixel_order.hpp"
#include "models/files/npy.hpp"
#include "troupe/data.hpp"

namespace troupe {

/// An array, and what errors call it.
struct NamedArray {
  std::string name;  ///< its file, and its own in a file of several
  NumberArray array;
  std::shared_ptr<const NpyFile> file = nullptr;  ///< where its elements stay in it

  std::string text() const { return name + " " + array.shape_text(); }
};

/// Labels as class numbers, from 0 to the largest.
struct ClassLabels {
  std::vector<std::int32_t> labels;
  std::int32_t largest = 0;
};

/// The two arrays of one set: samples, and labels of integers, which are classes, or of floats, which are targets.
class ArrayPair {
 public:
  /// @throws Error bad_file or bad_data naming the array that is not such, or does not fit the other.
  ArrayPair(NamedArray samples, NamedArray labels, std::optional<PixelOrder> order);

  /// 0 of targets.
  int num_classes() const { return classes_ ? classes_->largest + 1 : 0; }
  /// @throws Error bad_file naming what is not like another set's.
  void check_like(const ArrayPair& other) const;
  /// Its samples, which lie in memory, or stay in their file and are read when they are asked for.
  /// @param num_classes of all sets. @throws Error bad_data for values that are not finite
  std::shared_ptr<const DataSource> make(int num_classes) &&;

 private:
  std::shared_ptr<const DataSource> make_classes(std::vector<std::int64_t> shape, int num_classes);
  std::shared_ptr<const DataSource> make_targets(std::vector<std::int64_t> shape);

  NamedArray samples_;
  NamedArray labels_;
  std::optional<PixelOrder> order_;
  std::optional<ClassLabels> classes_;  ///< unless they are targets
  std::string origin_;                  ///< what errors call both
};

}  // namespace troupe
