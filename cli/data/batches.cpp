#include "cli/data/batches.hpp"

#include <algorithm>
#include <future>
#include <span>
#include <thread>
#include <utility>
#include <vector>

namespace troupe::cli {
namespace {

constexpr std::int64_t kValuesAtOnce = std::int64_t{1} << 22;
constexpr std::int64_t kMostAtOnce = 1024;  ///< samples

/// Samples that are read at once, and where they lie.
struct ReadAtOnce {
  std::vector<std::int64_t> numbers;
  std::vector<float> values;
  std::vector<std::int32_t> labels;
  std::vector<float> targets;
  std::vector<std::uint8_t> holes;

  void resize(const DataInfo& info) {
    const std::size_t count = numbers.size();
    values.resize(count * static_cast<std::size_t>(info.sample_size()));
    labels.resize(info.num_classes > 0 ? count : 0);
    targets.resize(count * static_cast<std::size_t>(info.num_targets));
    holes.resize(info.lacks ? count : 0);
  }

  /// The part of it from sample `first` on.
  BatchRequest part(std::size_t first, std::size_t count, const std::optional<DrawnFor>& drawn) {
    const auto of = [&](auto& all) {
      const std::size_t each = all.size() / numbers.size();
      return std::span(all).subspan(first * each, count * each);
    };
    return {.samples = of(std::as_const(numbers)),
            .values = of(values),
            .labels = of(labels),
            .targets = of(targets),
            .drawn = drawn,
            .holes = of(holes)};
  }
};

void read(const DataSource& set, ReadAtOnce& batch, const std::optional<DrawnFor>& drawn) {
  batch.resize(set.info());
  const std::size_t count = batch.numbers.size();
  const std::size_t threads = set.info().slow ? std::clamp(std::thread::hardware_concurrency(), 1U, 64U) : 1;
  const std::size_t each = (count + threads - 1) / threads;
  if (each == count) return set.fill(batch.part(0, count, drawn));
  std::vector<std::future<void>> parts;
  for (std::size_t first = 0; first < count; first += each)
    parts.push_back(std::async(std::launch::async,
                               [&, first] { set.fill(batch.part(first, std::min(each, count - first), drawn)); }));
  for (auto& part : parts) part.get();
}

}  // namespace

std::int64_t pass_over(const DataSource& set, std::int64_t count, const std::optional<DrawnFor>& drawn,
                       const std::function<void(const data::SampleView&)>& see) {
  const DataInfo& info = set.info();
  const std::int64_t at_once = std::clamp<std::int64_t>(kValuesAtOnce / info.sample_size(), 1, kMostAtOnce);
  // i * num_samples / count without the product, which may be too large.
  const auto number_of = [&](std::int64_t i) {
    return info.num_samples / count * i + info.num_samples % count * i / count;
  };
  std::int64_t left_out = 0;
  ReadAtOnce batch;
  for (std::int64_t first = 0; first < count; first += at_once) {
    batch.numbers.resize(static_cast<std::size_t>(std::min(at_once, count - first)));
    for (std::size_t i = 0; i < batch.numbers.size(); ++i)
      batch.numbers[i] = number_of(first + static_cast<std::int64_t>(i));
    read(set, batch, drawn);
    for (std::size_t i = 0; i < batch.numbers.size(); ++i) {
      const BatchRequest one = batch.part(i, 1, drawn);
      if (!one.holes.empty() && one.holes.front() != 0) {
        ++left_out;
        continue;
      }
      see({.number = batch.numbers[i],
           .values = one.values,
           .label = one.labels.empty() ? -1 : one.labels.front(),
           .targets = one.targets});
    }
  }
  return left_out;
}

}  // namespace troupe::cli
