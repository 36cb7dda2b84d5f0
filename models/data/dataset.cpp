#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <utility>

#include "models/data/answers.hpp"
#include "models/data/dataset_arrays.hpp"
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

void check_values(std::span<const float> values, const DataInfo& info) {
  const auto found = std::ranges::find_if_not(values, [](float value) { return std::isfinite(value); });
  if (found == values.end()) return;
  throw_bad_data("value " + std::to_string(*found) + " of sample " +
                 std::to_string((found - values.begin()) / info.sample_size()) + " is not finite");
}

std::int64_t count_samples(std::size_t targets, std::int64_t each) {
  if (each > 0 && targets % static_cast<std::size_t>(each) == 0) return static_cast<std::int64_t>(targets) / each;
  throw_bad_data(std::to_string(targets) + " targets cannot be split into " + std::to_string(each) + " per sample");
}

TROUPE_CLONES void scale_bytes(const std::uint8_t* from, std::size_t count, float scale, float* to) {
  for (std::size_t i = 0; i < count; ++i) to[i] = scale * static_cast<float>(from[i]);
}

/// Copies the elements of the given samples from `from` to `to`, one sample after the other. Does nothing if `from` is
/// empty.
/// @param each the number of elements of a sample
/// @param samples the numbers of the samples to copy
template <class T>
void pick(std::span<const T> from, std::size_t each, std::span<const std::int64_t> samples, T* to) {
  if (from.empty()) return;
  for (const std::int64_t sample : samples)
    to = std::copy_n(from.data() + static_cast<std::size_t>(sample) * each, each, to);
}

}  // namespace

Dataset::Dataset(DataInfo info, std::shared_ptr<const DatasetArrays> arrays)
    : DataSource(std::move(info)), arrays_(std::move(arrays)) {}

Dataset Dataset::classes(std::vector<std::int64_t> shape, std::vector<float> values, std::vector<std::int32_t> labels,
                         int num_classes, std::string origin, std::vector<std::string> class_names) {
  DatasetArrays arrays;
  arrays.values = arrays.hold(std::move(values));
  arrays.labels = arrays.hold(std::move(labels));
  Dataset set = DatasetArrays::make({.num_samples = std::ssize(arrays.labels),
                                     .shape = std::move(shape),
                                     .num_classes = num_classes,
                                     .class_names = std::move(class_names),
                                     .origin = std::move(origin)},
                                    arrays);
  naming(set.info().origin, [&] {
    check_length(arrays.values.size(), set.info());
    check_values(arrays.values, set.info());
    check_labels(arrays.labels, num_classes, std::identity());
  });
  return set;
}

Dataset Dataset::classes(std::vector<std::int64_t> shape, std::vector<std::uint8_t> bytes, float scale,
                         std::vector<std::int32_t> labels, int num_classes, std::string origin,
                         std::vector<std::string> class_names) {
  DatasetArrays arrays;
  arrays.bytes = arrays.hold(std::move(bytes));
  arrays.scale = scale;
  arrays.labels = arrays.hold(std::move(labels));
  Dataset set = DatasetArrays::make({.num_samples = std::ssize(arrays.labels),
                                     .shape = std::move(shape),
                                     .num_classes = num_classes,
                                     .class_names = std::move(class_names),
                                     .byte_scale = static_cast<double>(scale),
                                     .origin = std::move(origin)},
                                    arrays);
  naming(set.info().origin, [&] {
    check_length(arrays.bytes.size(), set.info());
    check_labels(arrays.labels, num_classes, std::identity());
  });
  return set;
}

Dataset Dataset::targets(std::vector<std::int64_t> shape, std::vector<float> values, std::vector<float> targets,
                         std::int64_t num_targets, std::string origin) {
  DatasetArrays arrays;
  arrays.values = arrays.hold(std::move(values));
  arrays.targets = arrays.hold(std::move(targets));
  Dataset set = DatasetArrays::make({.num_samples = count_samples(arrays.targets.size(), num_targets),
                                     .shape = std::move(shape),
                                     .num_targets = num_targets,
                                     .origin = std::move(origin)},
                                    arrays);
  naming(set.info().origin, [&] {
    check_length(arrays.values.size(), set.info());
    check_values(arrays.values, set.info());
    check_targets(arrays.targets, num_targets, std::identity());
  });
  return set;
}

Dataset Dataset::unlabelled(std::vector<std::int64_t> shape, std::vector<float> values, std::string origin) {
  DatasetArrays arrays;
  arrays.values = arrays.hold(std::move(values));
  DataInfo info{.shape = std::move(shape), .origin = std::move(origin)};
  info.num_samples = std::ssize(arrays.values) / std::max<std::int64_t>(1, info.sample_size());
  Dataset set = DatasetArrays::make(std::move(info), arrays);
  naming(set.info().origin, [&] {
    check_length(arrays.values.size(), set.info());
    check_values(arrays.values, set.info());
  });
  return set;
}

Dataset Dataset::sequences(const std::vector<std::vector<std::int32_t>>& tokens,
                           const std::vector<std::vector<std::int32_t>>& labels, std::int64_t vocabulary,
                           int num_classes, std::string origin) {
  std::size_t longest = 0;
  for (const auto& sequence : tokens) longest = std::max(longest, sequence.size());
  if (longest < 2) throw_bad_data("no sequence has two tokens");
  std::vector<float> values(tokens.size() * longest);
  std::vector<std::int32_t> padded(values.size(), kIgnoredLabel);
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const std::vector<std::int32_t>& sequence = tokens[i];
    if (!labels.empty() && (labels.size() != tokens.size() || labels[i].size() != sequence.size()))
      throw_bad_data("sequence " + std::to_string(i) + " does not have one label for each token");
    std::ranges::transform(sequence, values.begin() + static_cast<std::ptrdiff_t>(i * longest),
                           [](std::int32_t token) { return static_cast<float>(token); });
    const auto place = padded.begin() + static_cast<std::ptrdiff_t>(i * longest);
    if (!labels.empty())
      std::ranges::copy(labels[i], place);
    else if (!sequence.empty())
      std::copy(sequence.begin() + 1, sequence.end(), place);
    if (std::all_of(place, place + static_cast<std::ptrdiff_t>(longest),
                    [](std::int32_t label) { return label == kIgnoredLabel; }))
      throw_bad_data("no token of sequence " + std::to_string(i) + " has a label");
  }
  DataInfo info{
      .num_samples = std::ssize(tokens),
      .shape = {static_cast<std::int64_t>(longest)},
      .num_classes = num_classes > 0 ? num_classes : static_cast<int>(std::min<std::int64_t>(vocabulary, INT32_MAX)),
      .labels_per_sample = static_cast<std::int64_t>(longest),
      .vocabulary = vocabulary,
      .padded = std::ranges::any_of(tokens, [&](const auto& sequence) { return sequence.size() < longest; })};
  info.origin = std::move(origin);
  DatasetArrays arrays;
  arrays.values = arrays.hold(std::move(values));
  arrays.labels = arrays.hold(std::move(padded));
  Dataset set = DatasetArrays::make(std::move(info), arrays);
  naming(set.info().origin, [&] {
    check_position_labels(arrays.labels, set.info(), std::identity());
    check_tokens(arrays.values, set.info(), std::identity());
  });
  return set;
}

std::span<const std::int32_t> Dataset::known_labels() const {
  return info().labels_per_sample == 1 ? arrays_->labels : std::span<const std::int32_t>();
}

void Dataset::read(const BatchRequest& request) const {
  const auto length = static_cast<std::size_t>(info().sample_size());
  if (arrays_->bytes.empty()) {
    pick(arrays_->values, length, request.samples, request.values.data());
  } else {
    float* to = request.values.data();
    for (const std::int64_t sample : request.samples) {
      scale_bytes(arrays_->bytes.data() + static_cast<std::size_t>(sample) * length, length, arrays_->scale, to);
      to += length;
    }
  }
  pick(arrays_->labels, info().num_labels(1), request.samples, request.labels.data());
  pick(arrays_->targets, static_cast<std::size_t>(info().num_targets), request.samples, request.targets.data());
}

}  // namespace troupe
