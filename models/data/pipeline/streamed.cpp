#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "models/data/answers.hpp"
#include "models/data/data_memory.hpp"
#include "models/data/last_used.hpp"
#include "runtime/invalid.hpp"
#include "troupe/pipeline.hpp"

namespace troupe::data {
namespace {

using TakeSample = std::function<void(const SampleView&)>;
using ReadPart = std::function<void(int, const TakeSample&)>;

/// The minimum number of parts whose samples are shuffled together, even if they do not fit into the memory for parts.
/// With two parts, a model can use samples of one part while the other part is loaded.
constexpr int kMixedParts = 2;

/// All samples of one part of a stream, in memory.
struct Part {
  std::vector<float> values;
  std::vector<std::int32_t> labels;
  std::vector<float> targets;
};

std::int64_t bytes_of_sample(const DataInfo& info) {
  const std::int64_t answers = info.num_classes > 0 ? 1 : info.num_targets;
  return static_cast<std::int64_t>(sizeof(float)) * (info.sample_size() + answers);
}

void check_sample(const SampleView& sample, const DataInfo& info, int part) {
  const bool fits = std::ssize(sample.values) == info.sample_size() && std::ssize(sample.targets) == info.num_targets;
  if (!fits)
    throw_bad_data("part " + std::to_string(part) + " has a sample with " + std::to_string(sample.values.size()) +
                   " values and " + std::to_string(sample.targets.size()) + " targets; expected " +
                   std::to_string(info.sample_size()) + " and " + std::to_string(info.num_targets));
}

/// Reads all parts once, to count their samples. Returns `info`, in which it sets the number of samples, the first
/// sample of each part, and the number of parts to keep in memory (DataInfo::held_parts).
DataInfo counted(DataInfo info, int parts, const ReadPart& read) {
  if (parts < 1) throw_invalid("a stream of " + std::to_string(parts) + " parts is impossible: it needs at least 1");
  if (!read) throw_invalid("a stream needs a function");
  if (info.labels_per_sample > 1) throw_invalid("samples of a stream can have one label only");
  info.num_samples = 0;
  info.parts.clear();
  std::int64_t largest = 1;
  for (int part = 0; part < parts; ++part) {
    const std::int64_t first = info.num_samples;
    read(part, [&](const SampleView& sample) {
      check_sample(sample, info, part);
      ++info.num_samples;
    });
    if (info.num_samples == first) throw_bad_data("part " + std::to_string(part) + " has no samples");
    info.parts.push_back(first);
    largest = std::max(largest, info.num_samples - first);
  }
  const auto fit = static_cast<std::int64_t>(part_memory()) / (largest * bytes_of_sample(info));
  info.held_parts = static_cast<int>(std::clamp<std::int64_t>(fit / 2, kMixedParts, 1000));
  info.slow = true;
  return info;
}

class Streamed final : public DataSource {
 public:
  Streamed(DataInfo info, int parts, ReadPart read)
      : DataSource(counted(std::move(info), parts, read)), read_(std::move(read)), held_(part_memory()) {}

 private:
  void read(const BatchRequest& request) const override {
    const auto size = static_cast<std::size_t>(info().sample_size());
    const auto targets = static_cast<std::size_t>(info().num_targets);
    for (std::size_t i = 0; i < request.samples.size(); ++i) {
      const auto next = std::ranges::upper_bound(info().parts, request.samples[i]);
      const auto part = static_cast<int>(next - info().parts.begin()) - 1;
      const std::shared_ptr<const Part> held = this->part(part);
      const auto at = static_cast<std::size_t>(request.samples[i] - *(next - 1));
      std::ranges::copy(std::span(held->values).subspan(at * size, size),
                        request.values.subspan(i * size, size).begin());
      if (!request.labels.empty()) request.labels[i] = held->labels[at];
      std::ranges::copy(std::span(held->targets).subspan(at * targets, targets),
                        request.targets.subspan(i * targets, targets).begin());
    }
  }

  std::shared_ptr<const Part> part(int number) const {
    const std::int64_t samples = size_of(number);
    return held_.get(number, static_cast<std::uint64_t>(samples * bytes_of_sample(info())), [&] {
      auto loaded = std::make_shared<Part>();
      std::int64_t count = 0;
      read_(number, [&](const SampleView& sample) {
        check_sample(sample, info(), number);
        if (++count > samples) return;
        loaded->values.insert(loaded->values.end(), sample.values.begin(), sample.values.end());
        loaded->targets.insert(loaded->targets.end(), sample.targets.begin(), sample.targets.end());
        if (info().num_classes > 0) loaded->labels.push_back(sample.label);
      });
      if (count != samples)
        throw_bad_data("part " + std::to_string(number) + " had " + std::to_string(samples) +
                       " samples at first, but has " + std::to_string(count) + " now");
      return loaded;
    });
  }

  std::int64_t size_of(int part) const {
    const auto next = static_cast<std::size_t>(part) + 1;
    const std::int64_t end = next < info().parts.size() ? info().parts[next] : info().num_samples;
    return end - info().parts[next - 1];
  }

  ReadPart read_;
  mutable LastUsed<int, Part> held_;
};

}  // namespace

DataPtr stream(DataInfo info, int parts, ReadPart read) {
  return std::make_shared<const Streamed>(std::move(info), parts, std::move(read));
}

}  // namespace troupe::data
