#include <algorithm>
#include <numeric>

#include "models/data/transforms/transform.hpp"
#include "runtime/invalid.hpp"

namespace troupe {
namespace {

/// Changes the brightness and the contrast of images, and the saturation of images with three channels. Each of these
/// is multiplied by its own random factor in [1 - amount, 1 + amount].
class Colour final : public Transform {
 public:
  explicit Colour(double amount) : amount_(amount) {}

  Shape shape(const Shape& of) const override {
    planes_of(of, "colour");
    return of;
  }
  bool is_random() const override { return true; }
  std::string text() const override { return transform_text("colour", {amount_}); }

  void apply(const Shape& of, std::span<const float> from, std::span<float> to, Random* random) const override {
    std::ranges::copy(from, to.begin());
    if (!random) return;
    const float brightness = factor(*random);
    const float contrast = factor(*random);
    const float saturation = factor(*random);
    for (float& value : to) value *= brightness;
    const float mean = std::accumulate(to.begin(), to.end(), 0.0F) / static_cast<float>(to.size());
    for (float& value : to) value = mean + contrast * (value - mean);
    const Planes planes = planes_of(of, "colour");
    if (planes.channels != 3) return;
    const auto size = static_cast<std::size_t>(planes.size());
    for (std::size_t i = 0; i < size; ++i) {
      const float grey = (to[i] + to[size + i] + to[2 * size + i]) / 3;
      for (std::size_t at = i; at < to.size(); at += size) to[at] = grey + saturation * (to[at] - grey);
    }
  }

 private:
  float factor(Random& random) const { return 1 + static_cast<float>(amount_) * (2 * random.uniform() - 1); }

  double amount_;
};

}  // namespace

std::unique_ptr<Transform> make_colour(const TransformNumbers& numbers) {
  if (numbers.size() != 1 || !(numbers[0] > 0 && numbers[0] <= 1))
    throw_invalid("the transform '" + transform_text("colour", numbers) +
                  "' does not have the form colour AMOUNT, with AMOUNT above 0 and at most 1");
  return std::make_unique<Colour>(numbers[0]);
}

}  // namespace troupe
