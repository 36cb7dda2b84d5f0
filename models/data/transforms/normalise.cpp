#include <algorithm>
#include <cmath>
#include <numeric>

#include "models/data/answers.hpp"
#include "models/data/batches/batch_memory.hpp"
#include "models/data/transforms/transform.hpp"
#include "runtime/invalid.hpp"

namespace troupe {
namespace {

/// `moments_of` computes means and deviations from samples at equal distances in the data. It uses about as many
/// samples as together have kMostValues values, but at least kLeastSamples, even if these have more values. If the data
/// has fewer samples, it uses all of them.
constexpr std::int64_t kMostValues = std::int64_t{1} << 24;
constexpr std::int64_t kLeastSamples = 1000;
constexpr std::int64_t kSamplesAtOnce = 256;

/// Returns the number of means that samples of this shape have: one for each channel of images, and one for each value
/// of samples with one dimension.
std::size_t groups_of(const Shape& shape) {
  if (shape.size() == 2) return 1;
  return static_cast<std::size_t>(shape.empty() ? 1 : shape[0]);
}

class Normalise final : public Transform {
 public:
  explicit Normalise(const TransformNumbers& numbers) : numbers_(numbers) {
    const std::size_t groups = numbers.size() / 2;
    for (std::size_t i = 0; i < groups; ++i) {
      means_.push_back(static_cast<float>(numbers[i]));
      scales_.push_back(static_cast<float>(1 / numbers[groups + i]));
    }
  }

  Shape shape(const Shape& of) const override {
    if (groups_of(of) != means_.size() && means_.size() != 1)
      throw_invalid("the transform normalise has " + std::to_string(means_.size()) + " means for " +
                    std::to_string(groups_of(of)) + " channels or values");
    return of;
  }
  std::string text() const override { return transform_text("normalise", numbers_); }

  void apply(const Shape& of, std::span<const float> from, std::span<float> to, Random* /*random*/) const override {
    const std::size_t each = from.size() / groups_of(of);
    for (std::size_t group = 0; group * each < from.size(); ++group) {
      const std::size_t which = means_.size() == 1 ? 0 : group;
      const float mean = means_[which];
      const float scale = scales_[which];
      for (std::size_t i = group * each; i < (group + 1) * each; ++i) to[i] = (from[i] - mean) * scale;
    }
  }

 private:
  TransformNumbers numbers_;
  std::vector<float> means_;
  std::vector<float> scales_;
};

}  // namespace

std::unique_ptr<Transform> make_normalise(const TransformNumbers& numbers) {
  const auto deviations = std::span(numbers).subspan(numbers.size() / 2);
  const bool good = !numbers.empty() && numbers.size() % 2 == 0 &&
                    std::ranges::all_of(deviations, [](double deviation) { return deviation > 0; });
  if (!good)
    throw_invalid(
        "the transform '" + transform_text("normalise", numbers) +
        "' does not have the form normalise [MEAN... DEVIATION...], for one or all channels, with deviations above 0");
  return std::make_unique<Normalise>(numbers);
}

TransformNumbers moments_of(const DataSource& data) {
  const DataInfo& info = data.info();
  const std::size_t groups = groups_of(info.shape);
  const auto size = static_cast<std::size_t>(info.sample_size());
  const std::size_t each = size / groups;
  std::vector<double> sums(groups);
  std::vector<double> squares(groups);
  const std::int64_t most = std::max(kLeastSamples, kMostValues / info.sample_size());
  const std::int64_t stride = (info.num_samples + most - 1) / most;
  std::int64_t count = 0;
  BatchMemory memory;
  for (std::int64_t next = 0; next < info.num_samples;) {
    std::vector<std::int64_t> samples;
    for (; next < info.num_samples && std::ssize(samples) < kSamplesAtOnce; next += stride) samples.push_back(next);
    const Batch batch = memory.fill(data, samples);
    for (std::size_t i = 0; i < batch.values.size(); ++i) {
      const auto value = static_cast<double>(batch.values[i]);
      sums[i % size / each] += value;
      squares[i % size / each] += value * value;
    }
    count += batch.size;
  }
  TransformNumbers moments(2 * groups);
  if (count == 0) throw_bad_data("no sample could be read");
  const double values = static_cast<double>(count) * static_cast<double>(each);
  for (std::size_t i = 0; i < groups; ++i) {
    const double mean = sums[i] / values;
    const double deviation = std::sqrt(std::max(0.0, squares[i] / values - mean * mean));
    moments[i] = mean;
    moments[groups + i] = deviation > 1e-12 * std::abs(mean) && deviation > 0 ? deviation : 1;  // 1 if all values are
                                                                                                // equal, because values
                                                                                                // are divided by it
  }
  return moments;
}

}  // namespace troupe
