#include <cmath>
#include <numbers>

#include "models/data/transforms/transform.hpp"
#include "runtime/invalid.hpp"

namespace troupe {
namespace {

/// Rotates each image about its centre by a random angle of at most `degrees` in either direction, with bilinear
/// interpolation. Pixels outside the original image count as zero.
class Rotate final : public Transform {
 public:
  explicit Rotate(double degrees) : degrees_(degrees) {}

  Shape shape(const Shape& of) const override {
    planes_of(of, "rotate");
    return of;
  }
  bool is_random() const override { return true; }
  std::string text() const override { return transform_text("rotate", {degrees_}); }

  void apply(const Shape& of, std::span<const float> from, std::span<float> to, Random* random) const override {
    const Planes planes = planes_of(of, "rotate");
    const double turn = random ? 2 * static_cast<double>(random->uniform()) - 1 : 0;
    const double angle = turn * degrees_ * std::numbers::pi / 180;
    const auto sine = static_cast<float>(std::sin(angle));
    const auto cosine = static_cast<float>(std::cos(angle));
    const float middle_x = static_cast<float>(planes.width - 1) / 2;
    const float middle_y = static_cast<float>(planes.height - 1) / 2;
    for (std::int64_t y = 0; y < planes.height; ++y)
      for (std::int64_t x = 0; x < planes.width; ++x) {
        const float dx = static_cast<float>(x) - middle_x;
        const float dy = static_cast<float>(y) - middle_y;
        const float from_x = cosine * dx - sine * dy + middle_x;
        const float from_y = sine * dx + cosine * dy + middle_y;
        for (std::int64_t channel = 0; channel < planes.channels; ++channel) {
          const std::int64_t plane = channel * planes.size();
          to[static_cast<std::size_t>(plane + y * planes.width + x)] =
              between(from.data() + plane, planes, from_x, from_y);
        }
      }
  }

 private:
  static float between(const float* plane, const Planes& planes, float x, float y) {
    const auto left = static_cast<std::int64_t>(std::floor(x));
    const auto top = static_cast<std::int64_t>(std::floor(y));
    const float right_share = x - static_cast<float>(left);
    const float bottom_share = y - static_cast<float>(top);
    const auto pixel = [&](std::int64_t row, std::int64_t column) {
      const bool inside = row >= 0 && row < planes.height && column >= 0 && column < planes.width;
      return inside ? plane[row * planes.width + column] : 0.0F;
    };
    const float upper = pixel(top, left) * (1 - right_share) + pixel(top, left + 1) * right_share;
    const float lower = pixel(top + 1, left) * (1 - right_share) + pixel(top + 1, left + 1) * right_share;
    return upper * (1 - bottom_share) + lower * bottom_share;
  }

  double degrees_;
};

}  // namespace

std::unique_ptr<Transform> make_rotate(const TransformNumbers& numbers) {
  if (numbers.size() != 1 || !(numbers[0] > 0 && numbers[0] <= 180))
    throw_invalid("the transform '" + transform_text("rotate", numbers) +
                  "' does not have the form rotate DEGREES, with DEGREES above 0 and at most 180");
  return std::make_unique<Rotate>(numbers[0]);
}

}  // namespace troupe
