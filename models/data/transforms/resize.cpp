#include <numeric>

#include "models/data/transforms/transform.hpp"
#include "models/files/images/scaling.hpp"
#include "runtime/invalid.hpp"

namespace troupe {
namespace {

/// Scales images to another height and width. The aspect ratio may change.
class Resize final : public Transform {
 public:
  Resize(std::int64_t height, std::int64_t width) : height_(height), width_(width) {}

  Shape shape(const Shape& of) const override {
    Planes planes = planes_of(of, "resize");
    planes.height = height_;
    planes.width = width_;
    return planes.shape_like(of);
  }
  std::string text() const override {
    return transform_text("resize", {static_cast<double>(height_), static_cast<double>(width_)});
  }

  void apply(const Shape& of, std::span<const float> from, std::span<float> to, Random* /*random*/) const override {
    const Planes planes = planes_of(of, "resize");
    const std::vector<Taps> of_rows = taps_of(0, planes.width, width_);
    const std::vector<Taps> of_columns = taps_of(0, planes.height, height_);
    std::vector<float> narrow(static_cast<std::size_t>(planes.height * width_));
    for (std::int64_t channel = 0; channel < planes.channels; ++channel) {
      float* next = narrow.data();
      for (std::int64_t row = 0; row < planes.height; ++row)
        for (const Taps& taps : of_rows) {
          const float* source = from.data() + channel * planes.size() + row * planes.width + taps.first;
          *next++ = std::inner_product(taps.shares.begin(), taps.shares.end(), source, 0.0F);
        }
      scale_columns(narrow.data(), width_, of_columns, to.data() + channel * height_ * width_);
    }
  }

 private:
  std::int64_t height_;
  std::int64_t width_;
};

}  // namespace

std::unique_ptr<Transform> make_resize(const TransformNumbers& numbers) {
  const bool good =
      (numbers.size() == 1 || numbers.size() == 2) && is_length(numbers.front()) && is_length(numbers.back());
  if (!good)
    throw_invalid("the transform '" + transform_text("resize", numbers) +
                  "' does not have the form resize HEIGHT [WIDTH], in pixels");
  return std::make_unique<Resize>(static_cast<std::int64_t>(numbers.front()),
                                  static_cast<std::int64_t>(numbers.back()));
}

}  // namespace troupe
