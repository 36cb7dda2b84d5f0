#include <algorithm>

#include "models/data/transforms/transform.hpp"
#include "runtime/invalid.hpp"

namespace troupe {
namespace {

/// Mirrors each image horizontally with probability 1/2.
class Flip final : public Transform {
 public:
  Shape shape(const Shape& of) const override {
    planes_of(of, "flip");
    return of;
  }
  bool is_random() const override { return true; }
  std::string text() const override { return "flip"; }

  void apply(const Shape& of, std::span<const float> from, std::span<float> to, Random* random) const override {
    if (!random || random->below(2) == 0) {
      std::ranges::copy(from, to.begin());
      return;
    }
    const auto width = static_cast<std::size_t>(planes_of(of, "flip").width);
    for (std::size_t row = 0; row < from.size(); row += width)
      std::ranges::reverse_copy(from.subspan(row, width), to.begin() + static_cast<std::ptrdiff_t>(row));
  }
};

}  // namespace

std::unique_ptr<Transform> make_flip(const TransformNumbers& numbers) {
  if (!numbers.empty()) throw_invalid("the transform flip has no parameters");
  return std::make_unique<Flip>();
}

}  // namespace troupe
