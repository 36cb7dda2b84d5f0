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

/// One thing that is done to each sample.
class Transform {
 public:
  Transform() = default;
  Transform(const Transform&) = delete;
  Transform& operator=(const Transform&) = delete;
  virtual ~Transform() = default;

  /// Of what comes out. @throws Error invalid_argument for samples that it cannot be done to.
  virtual Shape shape(const Shape& of) const = 0;
  /// Of the values that come out, where those that come in have names.
  virtual std::vector<std::string> value_names(std::vector<std::string> names) const { return names; }
  /// Whether samples come out differently from epoch to epoch.
  virtual bool is_random() const { return false; }
  /// As `make_transforms` takes it, with what was found out of the data.
  virtual std::string text() const = 0;
  /// @param from a sample of shape `of`. @param to zeros, room for one of `shape(of)`.
  /// @param random null: nothing is drawn, and what comes out is the middle of what may.
  virtual void apply(const Shape& of, std::span<const float> from, std::span<float> to, Random* random) const = 0;
};

/// An image, or several of the same size, in planes: {height, width} or {channels, height, width}.
struct Planes {
  std::int64_t channels = 1;
  std::int64_t height = 0;
  std::int64_t width = 0;

  std::int64_t size() const { return height * width; }
  Shape shape_like(const Shape& of) const;
};

/// @param what wants images. @throws Error invalid_argument for samples that are none.
Planes planes_of(const Shape& shape, const char* what);

/// Numbers behind a transform's name.
using TransformNumbers = std::vector<double>;

/// Whether it is a length of images: a whole number, and not too large.
bool is_length(double number, int least = 1);

// Each takes the numbers behind its name. @throws Error invalid_argument for others than it takes.
std::unique_ptr<Transform> make_colour(const TransformNumbers& numbers);
std::unique_ptr<Transform> make_crop(const TransformNumbers& numbers);
std::unique_ptr<Transform> make_cutout(const TransformNumbers& numbers);
std::unique_ptr<Transform> make_flip(const TransformNumbers& numbers);
std::unique_ptr<Transform> make_intercept(const TransformNumbers& numbers);
std::unique_ptr<Transform> make_resize(const TransformNumbers& numbers);
std::unique_ptr<Transform> make_rotate(const TransformNumbers& numbers);
/// Means and deviations, first all of these and then all of those, by channel of images or else by value.
std::unique_ptr<Transform> make_normalise(const TransformNumbers& numbers);
/// Those of some data.
TransformNumbers moments_of(const DataSource& data);

/// "NAME NUMBER NUMBER": what `make_...` and errors call it.
std::string transform_text(const std::string& name, const TransformNumbers& numbers);

}  // namespace troupe
