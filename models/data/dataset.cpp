#include <algorithm>
#include <limits>
#include <string>

#include "runtime/simd.hpp"
#include "troupe/data.hpp"
#include "troupe/error.hpp"

namespace troupe {
namespace {

[[noreturn]] void bad_data(const std::string& message) { throw Error(ErrorCode::bad_data, message); }

/// Floats of one sample.
std::int64_t product(const std::vector<std::int64_t>& shape) {
  std::int64_t size = 1;
  for (const std::int64_t length : shape) {
    if (length <= 0) bad_data("a sample's shape has a length of " + std::to_string(length));
    if (size > std::numeric_limits<std::int64_t>::max() / length) bad_data("a sample's shape is too large");
    size *= length;
  }
  return size;
}

void check_lengths(std::size_t values, std::size_t answers, std::int64_t sample_size) {
  const auto size = static_cast<std::size_t>(sample_size);
  if (answers == 0) bad_data("a dataset without samples");
  if (values % size != 0 || values / size != answers) {
    bad_data(std::to_string(values) + " values are not " + std::to_string(answers) + " samples of " +
             std::to_string(size) + " floats");
  }
}

void check_labels(const std::vector<std::int32_t>& labels, int num_classes) {
  if (num_classes <= 0) bad_data("a classification needs classes, not " + std::to_string(num_classes));
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (labels[i] >= 0 && labels[i] < num_classes) continue;
    bad_data("label " + std::to_string(labels[i]) + " of sample " + std::to_string(i) + " is not in [0, " +
             std::to_string(num_classes) + ")");
  }
}

TROUPE_CLONES void scale_bytes(const std::uint8_t* from, std::size_t count, float scale, float* to) {
  for (std::size_t i = 0; i < count; ++i) to[i] = scale * static_cast<float>(from[i]);
}

}  // namespace

Dataset Dataset::classes(std::vector<std::int64_t> shape, std::vector<float> values, std::vector<std::int32_t> labels,
                         int num_classes) {
  Dataset set;
  set.sample_size_ = product(shape);
  check_lengths(values.size(), labels.size(), set.sample_size_);
  check_labels(labels, num_classes);
  set.size_ = static_cast<std::int64_t>(labels.size());
  set.num_classes_ = num_classes;
  set.shape_ = std::move(shape);
  set.values_ = std::move(values);
  set.labels_ = std::move(labels);
  return set;
}

Dataset Dataset::classes(std::vector<std::int64_t> shape, std::vector<std::uint8_t> bytes, float scale,
                         std::vector<std::int32_t> labels, int num_classes) {
  Dataset set;
  set.sample_size_ = product(shape);
  check_lengths(bytes.size(), labels.size(), set.sample_size_);
  check_labels(labels, num_classes);
  set.size_ = static_cast<std::int64_t>(labels.size());
  set.num_classes_ = num_classes;
  set.scale_ = scale;
  set.shape_ = std::move(shape);
  set.bytes_ = std::move(bytes);
  set.labels_ = std::move(labels);
  return set;
}

Dataset Dataset::targets(std::vector<std::int64_t> shape, std::vector<float> values, std::vector<float> targets) {
  Dataset set;
  set.sample_size_ = product(shape);
  check_lengths(values.size(), targets.size(), set.sample_size_);
  set.size_ = static_cast<std::int64_t>(targets.size());
  set.shape_ = std::move(shape);
  set.values_ = std::move(values);
  set.targets_ = std::move(targets);
  return set;
}

void Dataset::gather(std::span<const std::int64_t> indices, std::span<float> out) const {
  const auto length = static_cast<std::size_t>(sample_size_);
  if (out.size() != indices.size() * length) {
    throw Error(ErrorCode::invalid_argument, "room for " + std::to_string(out.size()) + " floats to gather " +
                                                 std::to_string(indices.size() * length));
  }
  float* to = out.data();
  for (const std::int64_t index : indices) {
    if (index < 0 || index >= size_) {
      throw Error(ErrorCode::invalid_argument,
                  "sample " + std::to_string(index) + " of a dataset of " + std::to_string(size_));
    }
    const std::size_t begin = static_cast<std::size_t>(index) * length;
    if (bytes_.empty()) {
      std::copy_n(values_.data() + begin, length, to);
    } else {
      scale_bytes(bytes_.data() + begin, length, scale_, to);
    }
    to += length;
  }
}

}  // namespace troupe
