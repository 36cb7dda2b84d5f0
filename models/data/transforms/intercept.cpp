#include <algorithm>
#include <memory>
#include <string>

#include "models/data/transforms/transform.hpp"
#include "runtime/invalid.hpp"

namespace troupe {
namespace {

/// Appends the value 1 to the values of a sample. In a linear regression, the weight of this value is the intercept.
class Intercept final : public Transform {
 public:
  Shape shape(const Shape& of) const override {
    if (of.size() != 1) throw_invalid("the transform intercept needs samples with one dimension");
    return {of.front() + 1};
  }
  std::vector<std::string> value_names(std::vector<std::string> names) const override {
    names.emplace_back("intercept");
    return names;
  }
  std::string text() const override { return "intercept"; }

  void apply(const Shape& /*of*/, std::span<const float> from, std::span<float> to, Random* /*random*/) const override {
    std::ranges::copy(from, to.begin());
    to.back() = 1;
  }
};

}  // namespace

std::unique_ptr<Transform> make_intercept(const TransformNumbers& numbers) {
  if (!numbers.empty()) throw_invalid("the transform '" + transform_text("intercept", numbers) + "' has no parameters");
  return std::make_unique<Intercept>();
}

}  // namespace troupe
