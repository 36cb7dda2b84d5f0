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

/// An array and its name in errors.
struct NamedArray {
  std::string name;  ///< the file, followed by the array's name in a file with several arrays
  NumberArray array;
  std::shared_ptr<const NpyFile> file = nullptr;  ///< set if the elements stay in their file

  std::string text() const { return name + " " + array.shape_text(); }
};

/// Labels as class numbers, from 0 to the largest.
struct ClassLabels {
  std::vector<std::int32_t> labels;
  std::int32_t largest = 0;
};

/// The two arrays of a set: samples, and labels. Integer labels are classes; floats are targets.
class ArrayPair {
 public:
  /// @throws Error bad_file or bad_data that names the array that is invalid or does not match the other.
  ArrayPair(NamedArray samples, NamedArray labels, std::optional<PixelOrder> order);

  /// The number of classes; 0 for targets.
  int num_classes() const { return classes_ ? classes_->largest + 1 : 0; }
  /// @throws Error bad_file that names the property that differs from another set's.
  void check_like(const ArrayPair& other) const;
  /// Returns the samples. They are in memory, or stay in their file and are read on request.
  /// @param num_classes the largest number of classes of all sets. @throws Error bad_data for values that are not
  /// finite
  std::shared_ptr<const DataSource> make(int num_classes) &&;

 private:
  std::shared_ptr<const DataSource> make_classes(std::vector<std::int64_t> shape, int num_classes);
  std::shared_ptr<const DataSource> make_targets(std::vector<std::int64_t> shape);

  NamedArray samples_;
  NamedArray labels_;
  std::optional<PixelOrder> order_;
  std::optional<ClassLabels> classes_;  ///< empty for targets
  std::string origin_;                  ///< the name of both in errors
};

}  // namespace troupe
