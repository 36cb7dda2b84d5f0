#include "models/data/scale_hint.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <vector>

#include "runtime/printable.hpp"

namespace troupe {
namespace {

constexpr double kManyTimes = 1000;
constexpr std::int64_t kLookedAt = 1000;

struct Scale {
  std::string column;
  double size = 0;  ///< root mean square of the numbers in the column
};

std::string text_of(const Scale& scale) {
  std::array<char, 32> size{};
  std::snprintf(size.data(), size.size(), "%.2g", scale.size);
  return "'" + printable(scale.column, 100) + "' (about " + size.data() + ")";
}

/// Returns the scale of each column of numbers, computed from the first kLookedAt samples. Leaves out columns that
/// contain only zeros.
std::vector<Scale> scales_of(const DataSource& data) {
  const DataInfo& info = data.info();
  const auto count = static_cast<std::size_t>(std::min(info.num_samples, kLookedAt));
  const auto width = static_cast<std::size_t>(info.sample_size());
  std::vector<std::int64_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), 0);
  std::vector<float> values(count * width);
  std::vector<std::int32_t> labels(info.num_labels(count));
  std::vector<float> targets(count * static_cast<std::size_t>(info.num_targets));
  data.fill({.samples = numbers, .values = values, .labels = labels, .targets = targets});
  std::vector<Scale> scales;
  std::size_t place = 0;
  for (const InputColumn& column : info.encoding.columns) {
    if (column.role != InputColumn::Role::feature) continue;
    const std::size_t first = place;
    place += column.is_text ? column.categories.size() : 1;
    if (column.is_text || first >= width) continue;
    double squares = 0;
    for (std::size_t i = 0; i < count; ++i) squares += std::pow(static_cast<double>(values[i * width + first]), 2);
    if (squares > 0) scales.push_back({column.name, std::sqrt(squares / static_cast<double>(count))});
  }
  return scales;
}

}  // namespace

std::string scale_hint(const DataSource& data) {
  const DataInfo& info = data.info();
  if (info.encoding.columns.empty() || info.slow || info.lacks || info.num_samples == 0) return "";
  const std::vector<Scale> scales = scales_of(data);
  if (scales.empty()) return "";
  const auto [least, most] = std::ranges::minmax_element(scales, {}, &Scale::size);
  if (most->size < kManyTimes * least->size) return "";
  return "columns " + text_of(*least) + " and " + text_of(*most) +
         " differ in scale by more than a factor of 1000; the transform normalise gives all columns the same scale";
}

}  // namespace troupe
