#include "cli/data/summary.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <future>
#include <limits>
#include <optional>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "cli/data/thumbnail.hpp"
#include "troupe/pipeline.hpp"

namespace troupe::cli {
namespace {

/// Maximum number of values that are read at once. If one sample has more values, one sample is read at once.
constexpr std::int64_t kValuesAtOnce = std::int64_t{1} << 22;
constexpr std::int64_t kMostAtOnce = 1024;  ///< maximum number of samples that are read at once

/// The samples of one read request: their numbers, and memory for their values, labels and targets.
struct ReadAtOnce {
  std::vector<std::int64_t> numbers;
  std::vector<float> values;
  std::vector<std::int32_t> labels;
  std::vector<float> targets;
  std::vector<std::uint8_t> holes;

  void resize(const DataInfo& info) {
    const std::size_t count = numbers.size();
    values.resize(count * static_cast<std::size_t>(info.sample_size()));
    labels.resize(info.num_labels(count));
    targets.resize(count * static_cast<std::size_t>(info.num_targets));
    holes.resize(info.lacks ? count : 0);
  }

  /// Returns a request to read `count` of the samples in `numbers`, starting at index `first` of this list.
  /// @param drawn the seed and epoch of random transforms; none: no random transforms
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

/// Reads `count` samples, evenly distributed over the set, and passes them to `see`, in order. Reads some tens of
/// megabytes at a time, on all cores if reading is slow. Returns the number of samples that could not be read, if the
/// data allows missing samples.
/// @param count at most 2^31, and at most the size of the set
/// @throws Error if samples cannot be read
std::int64_t pass_over(const DataSource& set, std::int64_t count, const std::optional<DrawnFor>& drawn,
                       const std::function<void(const data::SampleView&)>& see) {
  const DataInfo& info = set.info();
  const std::int64_t at_once = std::clamp<std::int64_t>(kValuesAtOnce / info.sample_size(), 1, kMostAtOnce);
  // Returns i * num_samples / count, without computing the product i * num_samples, which could overflow.
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
           .label = one.labels.size() == 1 ? one.labels.front() : -1,
           .targets = one.targets,
           .labels = one.labels});
    }
  }
  return left_out;
}

constexpr std::int64_t kUsualSamples = 100'000;
constexpr std::int64_t kLeastSamples = 1000;
constexpr std::int64_t kMostValues = std::int64_t{1} << 30;
constexpr std::int64_t kMostPictures = 160;

bool is_flat(const DataInfo& info) { return info.shape.size() == 1; }

bool has_pictures(const std::vector<std::int64_t>& shape) {
  return shape.size() == 2 || (shape.size() == 3 && (shape[0] == 1 || shape[0] == 3));
}

std::string name_or_number(const std::vector<std::string>& names, std::size_t i, const char* what) {
  return i < names.size() ? names[i] : what + std::to_string(i + 1);
}

/// Returns the columns for which statistics are computed, with names and without statistics. For flat samples there is
/// one column per value, for images with several channels one per channel, and otherwise one for all values together.
std::vector<Described> columns_to_describe(const DataInfo& info) {
  if (is_flat(info)) {
    std::vector<Described> columns(static_cast<std::size_t>(std::min(info.sample_size(), kMostColumns)));
    for (std::size_t i = 0; i < columns.size(); ++i) columns[i].name = name_or_number(info.value_names, i, "value ");
    return columns;
  }
  if (info.shape.size() != 3 || info.shape[0] > kMostColumns || info.shape[0] == 1) return {{.name = "all values"}};
  std::vector<Described> channels(static_cast<std::size_t>(info.shape[0]));
  constexpr const char* kColours[] = {"red", "green", "blue"};
  for (std::size_t i = 0; i < channels.size(); ++i)
    channels[i].name = channels.size() == 3 ? kColours[i] : "channel " + std::to_string(i + 1);
  return channels;
}

std::vector<Described> targets_to_describe(const DataInfo& info) {
  std::vector<Described> targets(std::min(static_cast<std::size_t>(info.num_targets), kMostDescribedTargets));
  for (std::size_t i = 0; i < targets.size(); ++i) targets[i].name = name_or_number(info.target_names, i, "target ");
  if (info.num_targets == 1 && info.target_names.empty()) targets.front().name = "target";
  return targets;
}

/// Returns the values of a sample that belong to the column number `column` of the summary.
std::span<const float> part_of(const SetSummary& summary, const data::SampleView& sample, std::size_t column) {
  const std::size_t each = is_flat(summary.info) ? 1 : sample.values.size() / summary.columns.size();
  return sample.values.subspan(column * each, each);
}

/// Computes the correlations of flat samples for the summary: between the first columns and the targets (each with
/// each), and between all columns and the targets.
class Series {
 public:
  explicit Series(SetSummary& summary) : summary_(summary) {
    if (!is_flat(summary.info)) return;
    targets_ = summary.targets.size();
    columns_ = std::min(summary.columns.size(), kMostCorrelated - targets_);
    for (std::size_t i = 0; i < columns_; ++i) summary.correlated.push_back(summary.columns[i].name);
    for (const Described& target : summary.targets) summary.correlated.push_back(target.name);
    summary.correlations = Correlations(columns_ + targets_, columns_ + targets_);
    summary.with_targets = Correlations(summary.columns.size(), targets_);
  }

  void add(const data::SampleView& sample) {
    if (columns_ == 0) return;
    values_.assign(sample.values.begin(), sample.values.begin() + static_cast<std::ptrdiff_t>(columns_));
    const auto targets = sample.targets.first(targets_);
    values_.insert(values_.end(), targets.begin(), targets.end());
    summary_.correlations.add(values_, values_);
    if (targets_ > 0) summary_.with_targets.add(sample.values.first(summary_.columns.size()), targets);
  }

 private:
  SetSummary& summary_;
  std::size_t columns_ = 0;
  std::size_t targets_ = 0;
  std::vector<float> values_;
};

void measure(SetSummary& summary, const data::SampleView& sample) {
  for (std::size_t i = 0; i < summary.columns.size(); ++i) summary.columns[i].moments.add(part_of(summary, sample, i));
  for (std::size_t i = 0; i < summary.targets.size(); ++i) summary.targets[i].moments.add(sample.targets.subspan(i, 1));
  for (const std::int32_t label : sample.labels)
    if (label >= 0) ++summary.class_counts[static_cast<std::size_t>(label)];
}

void make_histograms(std::vector<Described>& all) {
  for (Described& each : all) each.histogram = Histogram(each.moments, kHistogramParts);
}

/// Returns the smallest step with which every `step`-th of `samples` samples are at most `most`.
std::int64_t step_for(std::int64_t samples, std::int64_t most) {
  return std::max<std::int64_t>(1, (samples + most - 1) / most);
}

/// Selects samples for pictures and scatter charts, and stores these samples in the summary.
class Shown {
 public:
  explicit Shown(SetSummary& summary) : summary_(summary), taken_(static_cast<std::size_t>(summary.info.num_classes)) {
    const std::int64_t classes = std::min<std::int64_t>(summary.info.num_classes, kMostPicturedClasses);
    of_each_ = classes == 0 ? 0 : std::clamp<std::int64_t>(kMostPictures / classes, 4, 10);
    step_ = step_for(summary.looked_at, kMostPoints);
    set_shades();
  }

  void see(const data::SampleView& sample) {
    if (summary_.images && is_pictured(sample))
      summary_.pictures.push_back(
          {sample.number, sample.label, thumbnail(sample.values, summary_.info.shape, least_, most_)});
    if (is_flat(summary_.info) && seen_ % step_ == 0) add_point(sample);
    ++seen_;
  }

 private:
  /// Sets `least_` and `most_`, the values that pictures show as black and as white. These are the minimum and the
  /// maximum of all values, limited to three standard deviations from the mean, so that single outliers do not matter.
  void set_shades() {
    least_ = std::numeric_limits<double>::infinity();
    most_ = -least_;
    for (const Described& column : summary_.columns) {
      const Moments& m = column.moments;
      least_ = std::min(least_, std::max(m.least(), m.mean() - 3 * m.deviation()));
      most_ = std::max(most_, std::min(m.most(), m.mean() + 3 * m.deviation()));
    }
  }

  /// Returns whether a picture of the sample is shown. Pictures are shown of the first samples of each class. If there
  /// are no classes, pictures are shown of at most 40 samples, evenly distributed over the set.
  bool is_pictured(const data::SampleView& sample) {
    constexpr std::int64_t kWithoutClasses = 40;
    if (sample.label < 0) return seen_ % step_for(summary_.looked_at, kWithoutClasses) == 0;
    if (sample.label >= kMostPicturedClasses) return false;
    return taken_[static_cast<std::size_t>(sample.label)]++ < of_each_;
  }

  void add_point(const data::SampleView& sample) {
    const auto count = std::min(sample.values.size(), static_cast<std::size_t>(kMostPlottedColumns));
    const auto values = sample.values.first(count);
    summary_.points.push_back({.label = sample.label,
                               .values = {values.begin(), values.end()},
                               .target = sample.targets.empty() ? 0 : sample.targets.front()});
  }

  SetSummary& summary_;
  std::vector<std::int64_t> taken_;  ///< for each class: number of its samples that were selected for pictures
  std::int64_t of_each_ = 0;         ///< maximum number of pictures of each class
  std::int64_t step_ = 1;            ///< every `step_`-th sample becomes a point in scatter charts
  std::int64_t seen_ = 0;            ///< number of samples that were passed to `see`
  double least_ = 0;
  double most_ = 0;
};

void fill_histograms(SetSummary& summary, const data::SampleView& sample) {
  for (std::size_t i = 0; i < summary.columns.size(); ++i)
    summary.columns[i].histogram.add(part_of(summary, sample, i));
  for (std::size_t i = 0; i < summary.targets.size(); ++i)
    summary.targets[i].histogram.add(sample.targets.subspan(i, 1));
}

}  // namespace

std::int64_t samples_looked_at(const DataInfo& info, std::int64_t asked) {
  const std::int64_t usual = std::clamp(kMostValues / info.sample_size(), kLeastSamples, kUsualSamples);
  return std::min(info.num_samples, asked > 0 ? asked : usual);
}

SetSummary summarise(const std::string& name, const DataSource& set, bool training, const SummaryLimits& limits) {
  SetSummary summary{.name = name, .info = set.info()};
  const DataInfo& info = summary.info;
  summary.looked_at = samples_looked_at(info, limits.samples);
  summary.drawn = training && info.varies;
  summary.images = has_pictures(info.shape);
  summary.columns = columns_to_describe(info);
  summary.targets = targets_to_describe(info);
  summary.class_counts.resize(static_cast<std::size_t>(info.num_classes));
  const std::optional<DrawnFor> drawn =
      summary.drawn ? std::optional(DrawnFor{.seed = limits.seed, .epoch = 0}) : std::nullopt;

  Series series(summary);
  summary.left_out = pass_over(set, summary.looked_at, drawn, [&](const data::SampleView& sample) {
    measure(summary, sample);
    series.add(sample);
  });
  make_histograms(summary.columns);
  make_histograms(summary.targets);
  Shown shown(summary);
  pass_over(set, summary.looked_at, drawn, [&](const data::SampleView& sample) {
    fill_histograms(summary, sample);
    shown.see(sample);
  });
  std::ranges::stable_sort(summary.pictures, {}, &Picture::label);
  return summary;
}

std::string class_text(const DataInfo& info, std::size_t label) {
  return label < info.class_names.size() ? info.class_names[label] : std::to_string(label);
}

}  // namespace troupe::cli
