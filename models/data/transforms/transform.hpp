#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "runtime/random.hpp"
#include "troupe/data.hpp"

namespace troupe {

using Shape = std::vector<std::int64_t>;

/// An operation that changes the values of each sample.
class Transform {
 public:
  Transform() = default;
  Transform(const Transform&) = delete;
  Transform& operator=(const Transform&) = delete;
  virtual ~Transform() = default;

  /// Returns the shape of a transformed sample.
  /// @param of the shape of the original sample
  /// @throws Error invalid_argument if the transform cannot be applied to such samples.
  virtual Shape shape(const Shape& of) const = 0;
  /// Returns the names of the values of a transformed sample. Called only if values have names.
  /// @param names the names of the values of the original sample
  virtual std::vector<std::string> value_names(std::vector<std::string> names) const { return names; }
  /// Returns whether a transformed sample differs from epoch to epoch.
  virtual bool is_random() const { return false; }
  /// Returns the transform in the syntax of data::transform. The text contains all numbers, also those that were
  /// computed from the data.
  virtual std::string text() const = 0;
  /// Writes the transformed sample.
  /// @param of the shape of the original sample
  /// @param from the original sample
  /// @param to has room for a sample of shape `shape(of)`, and contains zeros
  /// @param random null: the transform does not draw random numbers. It then crops in the middle; other random
  /// transforms change nothing
  virtual void apply(const Shape& of, std::span<const float> from, std::span<float> to, Random* random) const = 0;
};

/// The dimensions of images, whose shape is {height, width} or {channels, height, width}. Each channel is one plane.
struct Planes {
  std::int64_t channels = 1;
  std::int64_t height = 0;
  std::int64_t width = 0;

  std::int64_t size() const { return height * width; }
  /// Returns these dimensions as a shape that has as many dimensions as `of`.
  Shape shape_like(const Shape& of) const;
};

/// Returns the dimensions of images of this shape.
/// @param what the name of the transform, for the error message
/// @throws Error invalid_argument if samples of this shape are not images
Planes planes_of(const Shape& shape, const char* what);

/// The numbers after a transform's name.
using TransformNumbers = std::vector<double>;

/// Returns whether the number is an integer from `least` to 65,536, and thus can be the length of an image in pixels.
bool is_length(double number, int least = 1);

// Each function returns a transform with the numbers that follow its name in data::transform. @throws Error
// invalid_argument for invalid numbers
std::unique_ptr<Transform> make_colour(const TransformNumbers& numbers);
std::unique_ptr<Transform> make_crop(const TransformNumbers& numbers);
std::unique_ptr<Transform> make_cutout(const TransformNumbers& numbers);
std::unique_ptr<Transform> make_flip(const TransformNumbers& numbers);
std::unique_ptr<Transform> make_intercept(const TransformNumbers& numbers);
std::unique_ptr<Transform> make_resize(const TransformNumbers& numbers);
std::unique_ptr<Transform> make_rotate(const TransformNumbers& numbers);
/// Returns the transform (value - mean) / deviation.
/// @param numbers first all means, then all deviations: one of each for each channel of images, or for each value of
/// other samples. A single mean and a single deviation apply to all
std::unique_ptr<Transform> make_normalise(const TransformNumbers& numbers);
/// Returns first all means and then all deviations of the data, as `make_normalise` requires them.
TransformNumbers moments_of(const DataSource& data);

/// Returns the text "NAME NUMBER NUMBER", in the syntax of data::transform.
std::string transform_text(const std::string& name, const TransformNumbers& numbers);

}  // namespace troupe
