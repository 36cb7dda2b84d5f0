#include <algorithm>
#include <climits>
#include <utility>

#include "models/data/answers.hpp"
#include "runtime/invalid.hpp"
#include "troupe/pipeline.hpp"

namespace troupe::data {
namespace {

/// Data that consists of the samples of several sources: all samples of the first source, then all of the second, and
/// so on.
class Joined final : public DataSource {
 public:
  explicit Joined(std::vector<DataPtr> parts) : DataSource(info_of(parts)), parts_(std::move(parts)) {
    std::int64_t end = 0;
    for (const DataPtr& part : parts_) ends_.push_back(end += part->info().num_samples);
  }

  void prefetch(std::span<const std::int64_t> coming, std::span<const std::int64_t> used) const noexcept override {
    for (const std::int64_t sample : used) {
      const auto [part, number] = place_of(sample);
      parts_[part]->prefetch({}, std::span(&number, 1));
    }
    for (const std::int64_t sample : coming) {
      const auto [part, number] = place_of(sample);
      parts_[part]->prefetch(std::span(&number, 1), {});
    }
  }

 private:
  /// Returns the index of the source that has a sample, and the number of the sample there.
  std::pair<std::size_t, std::int64_t> place_of(std::int64_t sample) const noexcept {
    const auto part = static_cast<std::size_t>(std::ranges::upper_bound(ends_, sample) - ends_.begin());
    return {part, sample - (part == 0 ? 0 : ends_[part - 1])};
  }

  static DataInfo info_of(const std::vector<DataPtr>& parts) {
    if (parts.empty()) throw_invalid("concat needs at least one source of data");
    DataInfo all = parts.front()->info();
    all.num_samples = 0;
    if (parts.size() > 1) all.missing.clear();
    all.parts.clear();
    const bool in_parts = std::ranges::any_of(parts, [](const DataPtr& part) { return !part->info().parts.empty(); });
    for (const DataPtr& part : parts) {
      const DataInfo& info = part->info();
      if (info.shape != all.shape || info.num_classes != all.num_classes || info.num_targets != all.num_targets ||
          info.labels_per_sample != all.labels_per_sample || info.vocabulary != all.vocabulary)
        throw_bad_data("concat: the sources differ in the shape of samples or in the number of classes or targets");
      const auto differ = [](const auto& names, const auto& others) {
        return !names.empty() && !others.empty() && names != others;
      };
      if (differ(info.class_names, all.class_names) || differ(info.value_names, all.value_names) ||
          differ(info.target_names, all.target_names) || info.encoding.symbols != all.encoding.symbols)
        throw_bad_data("concat: the sources differ in the names of columns, categories or classes");
      if (in_parts && info.parts.empty()) all.parts.push_back(all.num_samples);
      for (const std::int64_t first : info.parts) all.parts.push_back(all.num_samples + first);
      if (info.held_parts > 0)
        all.held_parts = std::min(all.held_parts > 0 ? all.held_parts : INT_MAX, info.held_parts);
      all.num_samples += info.num_samples;
      all.varies = all.varies || info.varies;
      all.lacks = all.lacks || info.lacks;
      all.slow = all.slow || info.slow;
      all.padded = all.padded || info.padded;
    }
    return all;
  }

  void read(const BatchRequest& request) const override {
    const auto size = static_cast<std::size_t>(info().sample_size());
    const auto targets = static_cast<std::size_t>(info().num_targets);
    const std::size_t labels = info().num_labels(1);
    for (std::size_t i = 0; i < request.samples.size(); ++i) {
      const auto [part, number] = place_of(request.samples[i]);
      parts_[part]->fill(
          {.samples = std::span(&number, 1),
           .values = request.values.subspan(i * size, size),
           .labels = request.labels.subspan(i * labels, labels),
           .targets = request.targets.subspan(i * targets, targets),
           .drawn = request.drawn,
           .holes = request.holes.subspan(request.holes.empty() ? 0 : i, request.holes.empty() ? 0 : 1)});
    }
  }

  std::vector<DataPtr> parts_;
  std::vector<std::int64_t> ends_;  ///< for each source: the number of its samples plus those of all sources before it
};

}  // namespace

DataPtr concat(std::vector<DataPtr> parts) { return std::make_shared<const Joined>(std::move(parts)); }

DataPtr repeat(const DataPtr& data, int times) {
  if (times < 1) throw_invalid("cannot repeat data " + std::to_string(times) + " times");
  return concat(std::vector<DataPtr>(static_cast<std::size_t>(times), data));
}

}  // namespace troupe::data
