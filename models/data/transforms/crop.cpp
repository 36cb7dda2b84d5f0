#include <algorithm>

#include "models/data/transforms/transform.hpp"
#include "runtime/invalid.hpp"

namespace troupe {
namespace {

/// Pads an image with `padding` zeros on each side, and then cuts out a square of `side` x `side` pixels at a random
/// place.
class Crop final : public Transform {
 public:
  Crop(std::int64_t side, std::int64_t padding) : side_(side), padding_(padding) {}

  Shape shape(const Shape& of) const override {
    Planes planes = planes_of(of, "crop");
    if (std::min(planes.height, planes.width) + 2 * padding_ < side_)
      throw_invalid("the transform " + text() + " is larger than images of " + std::to_string(planes.height) + " x " +
                    std::to_string(planes.width));
    planes.height = planes.width = side_;
    return planes.shape_like(of);
  }
  bool is_random() const override { return true; }
  std::string text() const override {
    return transform_text("crop", {static_cast<double>(side_), static_cast<double>(padding_)});
  }

  void apply(const Shape& of, std::span<const float> from, std::span<float> to, Random* random) const override {
    const Planes planes = planes_of(of, "crop");
    const std::int64_t top = place(planes.height, random);
    const std::int64_t left = place(planes.width, random);
    const std::int64_t begin = std::max<std::int64_t>(0, left);
    const std::int64_t end = std::min(planes.width, left + side_);
    for (std::int64_t channel = 0; channel < planes.channels; ++channel)
      for (std::int64_t y = 0; y < side_; ++y) {
        const std::int64_t row = top + y;
        if (row < 0 || row >= planes.height || end <= begin) continue;
        const float* source = from.data() + channel * planes.size() + row * planes.width;
        std::copy(source + begin, source + end, to.data() + (channel * side_ + y) * side_ + (begin - left));
      }
  }

 private:
  /// Returns the first row or column of the square, counted from the first row or column of the image without padding.
  /// The result is negative if the square starts in the padding.
  /// @param length the height or the width of the image without padding
  /// @param random null: the square is in the middle
  std::int64_t place(std::int64_t length, Random* random) const {
    const std::int64_t room = length + 2 * padding_ - side_;
    return (random ? static_cast<std::int64_t>(random->below(static_cast<std::uint64_t>(room) + 1)) : room / 2) -
           padding_;
  }

  std::int64_t side_;
  std::int64_t padding_;
};

}  // namespace

std::unique_ptr<Transform> make_crop(const TransformNumbers& numbers) {
  const bool good = (numbers.size() == 1 || numbers.size() == 2) && is_length(numbers[0]) &&
                    (numbers.size() == 1 || is_length(numbers[1], 0));
  if (!good)
    throw_invalid("the transform '" + transform_text("crop", numbers) +
                  "' does not have the form crop SIDE [PADDING], in pixels");
  return std::make_unique<Crop>(static_cast<std::int64_t>(numbers[0]),
                                numbers.size() == 2 ? static_cast<std::int64_t>(numbers[1]) : 0);
}

}  // namespace troupe
