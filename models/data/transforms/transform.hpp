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

/// An operation on each sample.
class Transform {
 public:
  Transform() = default;
  Transform(const Transform&) = delete;
  Transform& operator=(const Transform&) = delete;
  virtual ~Transform() = default;

  /// Returns the shape of the results. @throws Error invalid_argument for samples that it cannot be applied to.
  virtual Shape shape(const Shape& of) const = 0;
  /// Returns the names of the resulting values, for samples whose values have names.
  virtual std::vector<std::string> value_names(std::vector<std::string> names) const { return names; }
  /// True if the results differ from epoch to epoch.
  virtual bool is_random() const { return false; }
  /// Returns the transform as text for data::transform, including numbers that were computed from the data.
  virtual std::string text() const = 0;
  /// @param from a sample of shape `of`. @param to zeros, with room for a sample of shape `shape(of)`
  /// @param random null: draws nothing and uses the middle of the range of possible results
  virtual void apply(const Shape& of, std::span<const float> from, std::span<float> to, Random* random) const = 0;
};

/// An image, or several images of the same size, as planes: {height, width} or {channels, height, width}.
struct Planes {
  std::int64_t channels = 1;
  std::int64_t height = 0;
  std::int64_t width = 0;

  std::int64_t size() const { return height * width; }
  Shape shape_like(const Shape& of) const;
};

/// @param what the transform that needs images. @throws Error invalid_argument for samples that are not images
Planes planes_of(const Shape& shape, const char* what);

/// The numbers after a transform's name.
using TransformNumbers = std::vector<double>;

/// True if the number can be a length of an image: an integer that is not too large.
bool is_length(double number, int least = 1);

// Each function takes the numbers after the name. @throws Error invalid_argument for invalid numbers
std::unique_ptr<Transform> make_colour(const TransformNumbers& numbers);
std::unique_ptr<Transform> make_crop(const TransformNumbers& numbers);
std::unique_ptr<Transform> make_cutout(const TransformNumbers& numbers);
std::unique_ptr<Transform> make_flip(const TransformNumbers& numbers);
std::unique_ptr<Transform> make_intercept(const TransformNumbers& numbers);
std::unique_ptr<Transform> make_resize(const TransformNumbers& numbers);
std::unique_ptr<Transform> make_rotate(const TransformNumbers& numbers);
/// First all means, then all deviations: one per channel for images, else one per value.
std::unique_ptr<Transform> make_normalise(const TransformNumbers& numbers);
/// Computes the means and deviations of data.
TransformNumbers moments_of(const DataSource& data);

/// Returns "NAME NUMBER NUMBER", as in errors.
std::string transform_text(const std::string& name, const TransformNumbers& numbers);

}  // namespace troupe
