#include <array>
#include <charconv>
#include <memory>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "models/data/builtin_data.hpp"
#include "models/data/mock_images.hpp"
#include "runtime/invalid.hpp"
#include "runtime/processes/limits.hpp"
#include "runtime/random.hpp"

namespace troupe {
namespace {

struct MockShape {
  std::int64_t size = 224;
  int classes = 1001;
  std::int64_t images = 64;
};

/// Reads the number at the start of `text` into `out`, and returns the text after the number. Returns nothing if `text`
/// does not start with a number from 1 to `limit`.
template <class Number>
std::optional<std::string_view> take_number(std::string_view text, Number limit, Number& out) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (error != std::errc{} || out < 1 || out > limit) return std::nullopt;
  return text.substr(static_cast<std::size_t>(end - text.data()));
}

MockShape parse_mock_shape(const std::string& arguments) {
  MockShape shape;
  if (arguments.empty()) return shape;
  auto rest = take_number<std::int64_t>(arguments, 1024, shape.size);
  if (rest && rest->starts_with(',')) rest = take_number(rest->substr(1), 1'000'000, shape.classes);
  if (rest && rest->starts_with(',')) rest = take_number<std::int64_t>(rest->substr(1), 10'000, shape.images);
  if (!rest || !rest->empty()) {
    throw_invalid(
        "mock-images:" + arguments +
        " does not have the form mock-images:SIZE[,CLASSES[,IMAGES]] with a size up to 1024 and up to 10000 images");
  }
  return shape;
}

}  // namespace

TrainingData synthetic_linear(const std::string& /*arguments*/, std::uint64_t seed) {
  constexpr std::array kCoefficients{5.0, 3.0, 2.0, 1.0};
  constexpr std::int64_t kRows = 1000;
  Random random(seed);
  std::vector<float> values;
  std::vector<float> targets;
  for (std::int64_t row = 0; row < kRows; ++row) {
    double target = 0;
    for (std::size_t column = 0; column < kCoefficients.size(); ++column) {
      values.push_back(static_cast<float>(random.normal() + static_cast<double>(column)));
      target += kCoefficients[column] * static_cast<double>(values.back());
    }
    targets.push_back(static_cast<float>(target));
  }
  return {std::make_shared<const Dataset>(Dataset::targets({4}, std::move(values), std::move(targets))), nullptr};
}

TrainingData mock_images(const std::string& arguments, std::uint64_t seed) {
  const MockShape shape = parse_mock_shape(arguments);
  const auto images = static_cast<std::size_t>(shape.images);
  const std::size_t count = images * 3 * static_cast<std::size_t>(shape.size * shape.size);
  require_memory(count * sizeof(float), "mock-images:" + arguments);
  std::vector<float> values(count);
  std::vector<std::int32_t> labels(images);
  draw_mock_images(mock_image_random(seed, 0), shape.classes, values, labels);
  return {std::make_shared<const Dataset>(
              Dataset::classes({3, shape.size, shape.size}, std::move(values), std::move(labels), shape.classes)),
          nullptr};
}

}  // namespace troupe
