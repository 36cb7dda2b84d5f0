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

/// An array from a file, and the name of the array for error messages.
struct NamedArray {
  std::string name;  ///< the path of the file; if the file can contain several arrays, followed by the array's name
  NumberArray array;
  std::shared_ptr<const NpyFile> file = nullptr;  ///< the open file, if the elements stay in their file; null: `array`
                                                  ///< contains the elements

  std::string text() const { return name + " " + array.shape_text(); }
};

/// The class of each sample, and the largest of these classes. Classes are numbered from 0 to `largest`.
struct ClassLabels {
  std::vector<std::int32_t> labels;
  std::int32_t largest = 0;
};

/// An array with the samples of a set, and an array with their labels. If the labels are integers, they are classes; if
/// they are floats, they are targets.
class ArrayPair {
 public:
  /// Checks that the two arrays are valid and match, and converts images to the order NCHW.
  /// @param order the order of the dimensions, if the samples are images; empty: is_nhwc determines it
  /// @throws Error bad_file or bad_data if an array is invalid or the arrays do not match; the message names the array.
  ArrayPair(NamedArray samples, NamedArray labels, std::optional<PixelOrder> order);

  /// Returns the number of classes; 0 if the labels are targets.
  int num_classes() const { return classes_ ? classes_->largest + 1 : 0; }
  /// Checks that this pair has the same kind of samples and labels as `other`, so that both can belong to the same
  /// data.
  /// @throws Error bad_file if they differ; the message names the property that differs.
  void check_like(const ArrayPair& other) const;
  /// Returns the samples and labels as data. If `NamedArray::file` is set for the samples, they are read from their
  /// file on demand; otherwise they are in memory.
  /// @param num_classes the number of classes of the data: the maximum of num_classes() over all pairs of the training
  /// set and the test set
  /// @throws Error bad_data if values are not finite
  std::shared_ptr<const DataSource> make(int num_classes) &&;

 private:
  std::shared_ptr<const DataSource> make_classes(std::vector<std::int64_t> shape, int num_classes);
  std::shared_ptr<const DataSource> make_targets(std::vector<std::int64_t> shape);

  NamedArray samples_;
  NamedArray labels_;
  std::optional<PixelOrder> order_;
  std::optional<ClassLabels> classes_;  ///< the classes of the samples; empty if the labels are targets
  std::string origin_;                  ///< a text for error messages that names both arrays
};

}  // namespace troupe
