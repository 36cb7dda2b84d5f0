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

/// An array, and its name for error messages.
struct NamedArray {
  std::string name;  ///< the file; for a file with several arrays also the array's name
  NumberArray array;
  std::shared_ptr<const NpyFile> file = nullptr;  ///< set if the elements stay in their file

  std::string text() const { return name + " " + array.shape_text(); }
};

/// The classes of samples. Classes are numbered from 0 to `largest`.
struct ClassLabels {
  std::vector<std::int32_t> labels;
  std::int32_t largest = 0;
};

/// The samples of a set and their labels. Labels that are integers are classes; labels that are floats are targets.
class ArrayPair {
 public:
  /// Checks that the two arrays are valid and match, and converts images to the order NCHW.
  /// @param order the order of the elements of images; empty: see is_nhwc
  /// @throws Error bad_file or bad_data that names the array that is invalid or does not match the other.
  ArrayPair(NamedArray samples, NamedArray labels, std::optional<PixelOrder> order);

  /// Returns the number of classes; 0 if the labels are targets.
  int num_classes() const { return classes_ ? classes_->largest + 1 : 0; }
  /// Checks that this pair has the same kind of samples and labels as another pair.
  /// @throws Error bad_file that names the property that differs.
  void check_like(const ArrayPair& other) const;
  /// Returns samples and labels as data. The samples are in memory or, if `NamedArray::file` is set, are read from
  /// their file on demand.
  /// @param num_classes the maximum of num_classes() over all pairs of the training set and the test set
  /// @throws Error bad_data for values that are not finite
  std::shared_ptr<const DataSource> make(int num_classes) &&;

 private:
  std::shared_ptr<const DataSource> make_classes(std::vector<std::int64_t> shape, int num_classes);
  std::shared_ptr<const DataSource> make_targets(std::vector<std::int64_t> shape);

  NamedArray samples_;
  NamedArray labels_;
  std::optional<PixelOrder> order_;
  std::optional<ClassLabels> classes_;  ///< empty for targets
  std::string origin_;                  ///< names both arrays in error messages
};

}  // namespace troupe
