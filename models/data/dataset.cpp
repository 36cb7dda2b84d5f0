#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <utility>

#include "models/data/answers.hpp"
#include "models/data/naming.hpp"
#include "runtime/simd.hpp"
#include "troupe/data.hpp"

namespace troupe {
namespace {

void check_length(std::size_t values, const DataInfo& info) {
  const auto size = static_cast<std::size_t>(info.sample_size());
  if (values % size == 0 && values / size == static_cast<std::size_t>(info.num_samples)) return;
  throw_bad_data(std::to_string(values) + " values are not " + std::to_string(info.num_samples) + " samples of " +
                 std::to_string(size) + " floats");
}

void check_values(const std::vector<float>& values, const DataInfo& info) {
  const auto found = std::ranges::find_if_not(values, [](float value) { return std::isfinite(value); });
  if (found == values.end()) return;
  throw_bad_data("value " + std::to_string(*found) + " of sample " +
                 std::to_string((found - values.begin()) / info.sample_size()) + " is not finite");
}

std::int64_t count_samples(std::size_t targets, std::int64_t each) {
  if (each > 0 && targets % static_cast<std::size_t>(each) == 0) return static_cast<std::int64_t>(targets) / each;
  throw_bad_data(std::to_string(targets) + " targets are not " + std::to_string(each) + " a sample");
}

TROUPE_CLONES void scale_bytes(const std::uint8_t* from, std::size_t count, float scale, float* to) {
  for (std::size_t i = 0; i < count; ++i) to[i] = scale * static_cast<float>(from[i]);
}

/// Copies `each` elements a sample; none where the data has none.
template <class T>
void pick(const std::vector<T>& from, std::size_t each, std::span<const std::int64_t> samples, T* to) {
  if (from.empty()) return;
  for (const std::int64_t sample : samples)
    to = std::copy_n(from.data() + static_cast<std::size_t>(sample) * each, each, to);
}

}  // namespace

Dataset Dataset::classes(std::vector<std::int64_t> shape, std::vector<float> values, std::vector<std::int32_t> labels,
                         int num_classes, std::string origin, std::vector<std::string> class_names) {
  Dataset set({.num_samples = std::ssize(labels),
               .shape = std::move(shape),
               .num_classes = num_classes,
               .class_names = std::move(class_names),
               .origin = std::move(origin)});
  naming(set.info().origin, [&] {
    check_length(values.size(), set.info());
    check_values(values, set.info());
    check_labels(labels, num_classes, std::identity());
  });
  set.values_ = std::move(values);
  set.labels_ = std::move(labels);
  return set;
}

Dataset Dataset::classes(std::vector<std::int64_t> shape, std::vector<std::uint8_t> bytes, float scale,
                         std::vector<std::int32_t> labels, int num_classes, std::string origin,
                         std::vector<std::string> class_names) {
  Dataset set({.num_samples = std::ssize(labels),
               .shape = std::move(shape),
               .num_classes = num_classes,
               .class_names = std::move(class_names),
               .byte_scale = static_cast<double>(scale),
               .origin = std::move(origin)});
  naming(set.info().origin, [&] {
    check_length(bytes.size(), set.info());
    check_labels(labels, num_classes, std::identity());
  });
  set.scale_ = scale;
  set.bytes_ = std::move(bytes);
  set.labels_ = std::move(labels);
  return set;
}

Dataset Dataset::targets(std::vector<std::int64_t> shape, std::vector<float> values, std::vector<float> targets,
                         std::int64_t num_targets, std::string origin) {
  Dataset set({.num_samples = count_samples(targets.size(), num_targets),
               .shape = std::move(shape),
               .num_targets = num_targets,
               .origin = std::move(origin)});
  naming(set.info().origin, [&] {
    check_length(values.size(), set.info());
    check_values(values, set.info());
    check_targets(targets, num_targets, std::identity());
  });
  set.values_ = std::move(values);
  set.targets_ = std::move(targets);
  return set;
}

void Dataset::read(const BatchRequest& request) const {
  const auto length = static_cast<std::size_t>(info().sample_size());
  if (bytes_.empty()) {
    pick(values_, length, request.samples, request.values.data());
  } else {
    float* to = request.values.data();
    for (const std::int64_t sample : request.samples) {
      scale_bytes(bytes_.data() + static_cast<std::size_t>(sample) * length, length, scale_, to);
      to += length;
    }
  }
  pick(labels_, 1, request.samples, request.labels.data());
  pick(targets_, static_cast<std::size_t>(info().num_targets), request.samples, request.targets.data());
}

}  // namespace troupe
