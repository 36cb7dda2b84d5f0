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

  /// Returns the shape that a sample of shape `of` has after the transform.
  /// @param of the shape of the original sample
  /// @throws Error invalid_argument if the transform cannot be applied to samples of shape `of`.
  virtual Shape shape(const Shape& of) const = 0;
  /// Returns the names of the values of a transformed sample. Called only if the values of the original sample have
  /// names.
  /// @param names the names of the values of the original sample
  virtual std::vector<std::string> value_names(std::vector<std::string> names) const { return names; }
  /// Returns whether the transform draws random numbers, so that a transformed sample differs from epoch to epoch.
  virtual bool is_random() const { return false; }
  /// Returns the name and the numbers of the transform, in the syntax that data::transform parses. The text contains
  /// all numbers, also those that were computed from the data instead of chosen by the user.
  virtual std::string text() const = 0;
  /// Transforms the sample `from`, and writes the result to `to`.
  /// @param of the shape of the original sample
  /// @param from the original sample
  /// @param to receives a sample of shape `shape(of)`; contains zeros before the call
  /// @param random the generator for random numbers. Null: the transform must not be random. The transform "crop" then
  /// cuts out the middle; other random transforms copy the sample unchanged
  virtual void apply(const Shape& of, std::span<const float> from, std::span<float> to, Random* random) const = 0;
};

/// The dimensions of images. The shape of images is {height, width} or {channels, height, width}. An image consists of
/// one plane (height x width values) for each channel.
struct Planes {
  std::int64_t channels = 1;
  std::int64_t height = 0;
  std::int64_t width = 0;

  std::int64_t size() const { return height * width; }
  /// Returns these dimensions as a shape. The shape has as many dimensions as `of`: {height, width} or {channels,
  /// height, width}.
  Shape shape_like(const Shape& of) const;
};

/// Returns the dimensions of images whose shape is `shape`.
/// @param what the name of the transform, for the error message
/// @throws Error invalid_argument if samples of this shape are not images
Planes planes_of(const Shape& shape, const char* what);

/// The numbers that follow the name of a transform, such as 32 and 4 in "crop 32 4".
using TransformNumbers = std::vector<double>;

/// Returns whether `number` can be the height or the width of an image in pixels: an integer from `least` to 65,536.
bool is_length(double number, int least = 1);

// Each of these functions returns the transform that its name contains. `numbers` are the numbers that follow the
// transform's name in a text for data::transform. The functions throw Error invalid_argument if the numbers are invalid
// for the transform.
std::unique_ptr<Transform> make_colour(const TransformNumbers& numbers);
std::unique_ptr<Transform> make_crop(const TransformNumbers& numbers);
std::unique_ptr<Transform> make_cutout(const TransformNumbers& numbers);
std::unique_ptr<Transform> make_flip(const TransformNumbers& numbers);
std::unique_ptr<Transform> make_intercept(const TransformNumbers& numbers);
std::unique_ptr<Transform> make_resize(const TransformNumbers& numbers);
std::unique_ptr<Transform> make_rotate(const TransformNumbers& numbers);
/// Returns the transform that replaces each value by (value - mean) / deviation.
/// @param numbers all means, followed by all deviations. There is one mean and one deviation for each channel of
/// images, or for each value of other samples; or a single mean and a single deviation for all channels or values
std::unique_ptr<Transform> make_normalise(const TransformNumbers& numbers);
/// Computes the means and the standard deviations of the data, and returns them as the argument that `make_normalise`
/// needs: all means, followed by all deviations.
TransformNumbers moments_of(const DataSource& data);

/// Returns the name of a transform, followed by its numbers, in the syntax that data::transform parses, such as "crop
/// 32 4".
std::string transform_text(const std::string& name, const TransformNumbers& numbers);

}  // namespace troupe
