#include <charconv>
#include <cmath>

#include "models/data/transforms/transform.hpp"
#include "runtime/invalid.hpp"

namespace troupe {

Shape Planes::shape_like(const Shape& of) const {
  return of.size() == 2 ? Shape{height, width} : Shape{channels, height, width};
}

Planes planes_of(const Shape& shape, const char* what) {
  if (shape.size() == 2) return {1, shape[0], shape[1]};
  if (shape.size() == 3) return {shape[0], shape[1], shape[2]};
  throw_invalid(std::string("the transform ") + what + " needs images (2 or 3 dimensions), but samples have " +
                std::to_string(shape.size()) + " dimensions");
}

bool is_length(double number, int least) {
  constexpr double kMost = 65536;
  return number >= least && number <= kMost && number == std::floor(number);
}

std::string transform_text(const std::string& name, const TransformNumbers& numbers) {
  std::string text = name;
  for (const double number : numbers) {
    char digits[32];
    text += ' ';
    text.append(digits, std::to_chars(digits, digits + sizeof digits, number).ptr);
  }
  return text;
}

}  // namespace troupe
