#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "models/data/answers.hpp"
#include "models/data/batches/shuffle.hpp"
#include "models/data/pipeline/samples.hpp"
#include "runtime/invalid.hpp"
#include "runtime/random.hpp"
#include "troupe/pipeline.hpp"

namespace troupe::data {
namespace {

/// The number of the random generator's stream for the order of samples. Therefore the order depends on other random
/// numbers than those that other users draw with the same seed.
constexpr std::uint64_t kSelectStream = 0x73656C65ULL << 32;

/// Data that consists of selected samples of another source, in any order.
class Selected final : public DataSource {
 public:
  Selected(DataPtr data, std::vector<std::int64_t> samples)
      : DataSource(info_of(data->info(), samples)), data_(std::move(data)), samples_(std::move(samples)) {}

  void prefetch(std::span<const std::int64_t> coming, std::span<const std::int64_t> used) const noexcept override {
    for (const std::int64_t sample : used) data_->prefetch({}, there(sample));
    for (const std::int64_t sample : coming) data_->prefetch(there(sample), {});
  }

 private:
  std::span<const std::int64_t> there(std::int64_t sample) const noexcept {
    return std::span(samples_).subspan(static_cast<std::size_t>(sample), 1);
  }

  static DataInfo info_of(DataInfo info, const std::vector<std::int64_t>& samples) {
    for (const std::int64_t sample : samples)
      if (sample < 0 || sample >= info.num_samples)
        throw_invalid("there is no sample " + std::to_string(sample) + "; the number of samples is " +
                      std::to_string(info.num_samples));
    info.num_samples = std::ssize(samples);
    info.parts = parts_of(info.parts, samples);
    return info;
  }

  /// Returns the value of DataInfo::parts for the selected samples. If the selected samples are not in ascending order,
  /// returns an empty list, because the samples of a part must be consecutive.
  /// @param parts the value of DataInfo::parts for the original source
  /// @param samples the numbers of the selected samples in the original source
  static std::vector<std::int64_t> parts_of(const std::vector<std::int64_t>& parts,
                                            const std::vector<std::int64_t>& samples) {
    std::vector<std::int64_t> left;
    if (parts.empty() || !std::ranges::is_sorted(samples)) return left;
    for (const std::int64_t part : parts) {
      const std::int64_t first = std::ranges::lower_bound(samples, part) - samples.begin();
      if (!left.empty() && left.back() == first)
        left.pop_back();  // removes the previous part, which has no selected
                          // samples
      if (first < std::ssize(samples)) left.push_back(first);
    }
    return left;
  }

  void read(const BatchRequest& request) const override {
    std::vector<std::int64_t> samples;
    samples.reserve(request.samples.size());
    for (const std::int64_t sample : request.samples) samples.push_back(samples_[static_cast<std::size_t>(sample)]);
    BatchRequest there = request;
    there.samples = samples;
    data_->fill(there);
  }

  DataPtr data_;
  std::vector<std::int64_t> samples_;
};

std::vector<std::int64_t> all_of(const DataPtr& data) {
  std::vector<std::int64_t> samples(static_cast<std::size_t>(data->info().num_samples));
  std::iota(samples.begin(), samples.end(), std::int64_t{0});
  return samples;
}

void shuffle_samples(std::vector<std::int64_t>& samples, std::uint64_t seed) {
  Random random(seed, kSelectStream);
  troupe::shuffle(std::span(samples), random);
}

/// Returns the class of each sample of `data`, which must have classes.
std::vector<std::int32_t> labels_of(const DataSource& data) {
  const std::span<const std::int32_t> known = data.known_labels();
  if (!known.empty()) return {known.begin(), known.end()};
  std::vector<std::int32_t> labels(static_cast<std::size_t>(data.info().num_samples));
  for_each_sample(data,
                  [&](const SampleView& sample) { labels[static_cast<std::size_t>(sample.number)] = sample.label; });
  return labels;
}

/// Returns the numbers of all samples in a random order that depends on `seed`. If the data has classes, every range of
/// this order contains about the same fraction of each class as the data.
std::vector<std::int64_t> alike(const DataPtr& data, std::uint64_t seed) {
  std::vector<std::int64_t> samples = all_of(data);
  shuffle_samples(samples, seed);
  const int classes = data->info().num_classes;
  if (classes == 0 || data->info().labels_per_sample > 1) return samples;
  const std::vector<std::int32_t> labels = labels_of(*data);
  std::vector<std::int64_t> counts(static_cast<std::size_t>(classes));
  for (const std::int32_t label : labels) ++counts[static_cast<std::size_t>(label)];
  // Assigns a number from 0 to 1 to each sample, and sorts the samples by this number. If a class has n samples, they
  // have the numbers 1/2n, 3/2n, 5/2n and so on. Therefore each class is spread evenly over the whole order.
  std::vector<std::pair<double, std::int64_t>> places;
  std::vector<std::int64_t> seen(counts.size());
  for (const std::int64_t sample : samples) {
    const auto label = static_cast<std::size_t>(labels[static_cast<std::size_t>(sample)]);
    places.emplace_back((static_cast<double>(seen[label]++) + 0.5) / static_cast<double>(counts[label]), sample);
  }
  std::ranges::stable_sort(places, {}, [](const auto& place) { return place.first; });
  for (std::size_t i = 0; i < samples.size(); ++i) samples[i] = places[i].second;
  return samples;
}

}  // namespace

std::vector<std::int64_t> by_class(const DataPtr& data, std::uint64_t seed) {
  std::vector<std::int64_t> samples = all_of(data);
  shuffle_samples(samples, seed);
  if (data->info().num_classes == 0 || data->info().labels_per_sample > 1) return samples;
  const std::vector<std::int32_t> labels = labels_of(*data);
  std::ranges::stable_sort(samples, {}, [&](std::int64_t sample) { return labels[static_cast<std::size_t>(sample)]; });
  return samples;
}

DataPtr select(DataPtr data, std::vector<std::int64_t> samples) {
  return std::make_shared<const Selected>(std::move(data), std::move(samples));
}

DataPtr take(DataPtr data, std::int64_t count) {
  if (count < 1) throw_invalid("cannot take " + std::to_string(count) + " samples");
  std::vector<std::int64_t> samples = all_of(data);
  if (std::cmp_less(count, samples.size())) samples.resize(static_cast<std::size_t>(count));
  return select(std::move(data), std::move(samples));
}

DataPtr filter(const DataPtr& data, const std::function<bool(const SampleView&)>& keep) {
  std::vector<std::int64_t> samples;
  for_each_sample(*data, [&](const SampleView& sample) {
    if (keep(sample)) samples.push_back(sample.number);
  });
  if (samples.empty())
    throw_bad_data("the filter keeps none of " + std::to_string(data->info().num_samples) + " samples");
  return select(data, std::move(samples));
}

DataPtr shuffle(DataPtr data, std::uint64_t seed) {
  std::vector<std::int64_t> samples = all_of(data);
  shuffle_samples(samples, seed);
  return select(std::move(data), std::move(samples));
}

std::pair<DataPtr, DataPtr> split(const DataPtr& data, double share, std::uint64_t seed) {
  if (!(share > 0 && share < 1))
    throw_invalid("a split of " + std::to_string(share) + " is impossible: the share must be between 0 and 1");
  const std::vector<std::int64_t> samples = alike(data, seed);
  const auto all = static_cast<double>(samples.size());
  if (all < 2) throw_invalid("one sample cannot be split");
  const auto second = static_cast<std::ptrdiff_t>(std::clamp(std::round(all * share), 1.0, all - 1));
  // The last `second` samples of the order, which form the second result, contain about the same fraction of each class
  // as the data. Sorting restores the order of the data in both results.
  std::vector<std::int64_t> rest(samples.begin(), samples.end() - second);
  std::vector<std::int64_t> part(samples.end() - second, samples.end());
  std::ranges::sort(rest);
  std::ranges::sort(part);
  return {select(data, std::move(rest)), select(data, std::move(part))};
}

}  // namespace troupe::data
