#include <algorithm>

#include "models/data/transforms/transform.hpp"
#include "runtime/invalid.hpp"

namespace troupe {
namespace {

/// Sets all pixels of a square around a random pixel to zero (Cutout, DeVries and Taylor, 2017). The square may lie
/// partly outside the image.
class Cutout final : public Transform {
 public:
  explicit Cutout(std::int64_t side) : side_(side) {}

  Shape shape(const Shape& of) const override {
    planes_of(of, "cutout");
    return of;
  }
  bool is_random() const override { return true; }
  std::string text() const override { return transform_text("cutout", {static_cast<double>(side_)}); }

  void apply(const Shape& of, std::span<const float> from, std::span<float> to, Random* random) const override {
    std::ranges::copy(from, to.begin());
    if (!random) return;
    const Planes planes = planes_of(of, "cutout");
    const auto [top, bottom] = range(planes.height, *random);
    const auto [left, right] = range(planes.width, *random);
    for (std::int64_t channel = 0; channel < planes.channels; ++channel)
      for (std::int64_t y = top; y < bottom; ++y) {
        float* row = to.data() + channel * planes.size() + y * planes.width;
        std::fill(row + left, row + right, 0.0F);
      }
  }

 private:
  std::pair<std::int64_t, std::int64_t> range(std::int64_t length, Random& random) const {
    const std::int64_t begin = static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(length))) - side_ / 2;
    return {std::max<std::int64_t>(0, begin), std::min(length, begin + side_)};
  }

  std::int64_t side_;
};

}  // namespace

std::unique_ptr<Transform> make_cutout(const TransformNumbers& numbers) {
  if (numbers.size() != 1 || !is_length(numbers[0]))
    throw_invalid("the transform '" + transform_text("cutout", numbers) +
                  "' does not have the form cutout SIDE, in pixels");
  return std::make_unique<Cutout>(static_cast<std::int64_t>(numbers[0]));
}

}  // namespace troupe
