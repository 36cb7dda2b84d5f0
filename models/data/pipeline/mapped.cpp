#include <algorithm>
#include <utility>

#include "models/data/batches/batch_memory.hpp"
#include "models/data/pipeline/samples.hpp"
#include "runtime/invalid.hpp"

namespace troupe::data {
namespace {

using Change = std::function<void(const SampleView&, std::span<float>)>;

/// Data whose samples are those of another source, with values that a user's function computes from the original
/// values.
class Mapped final : public DataSource {
 public:
  Mapped(DataPtr data, std::vector<std::int64_t> shape, Change change)
      : DataSource(info_of(data->info(), std::move(shape))), data_(std::move(data)), change_(std::move(change)) {}

  void prefetch(std::span<const std::int64_t> coming, std::span<const std::int64_t> used) const noexcept override {
    data_->prefetch(coming, used);
  }

 private:
  static DataInfo info_of(DataInfo info, std::vector<std::int64_t> shape) {
    info.shape = std::move(shape);
    info.byte_scale = 0;
    info.value_names.clear();
    info.encoding = {};  // empty, because the user's function makes the values, so Troupe does not know how they are
                         // encoded
    return info;
  }

  void read(const BatchRequest& request) const override {
    const auto size = static_cast<std::size_t>(info().sample_size());
    std::vector<float> values(request.samples.size() * static_cast<std::size_t>(data_->info().sample_size()));
    BatchRequest from = request;
    from.values = values;
    data_->fill(from);
    for (std::size_t i = 0; i < request.samples.size(); ++i)
      if (request.holes.empty() || request.holes[i] == 0)
        change_(sample_of(from, i, data_->info()), request.values.subspan(i * size, size));
  }

  DataPtr data_;
  Change change_;
};

/// The windows of a sequence of samples, as data. Each window is one sample, which consists of `length` consecutive
/// samples of the sequence.
class Windows final : public DataSource {
 public:
  Windows(DataPtr data, std::int64_t length)
      : DataSource(info_of(data->info(), length)), data_(std::move(data)), length_(length) {}

  void prefetch(std::span<const std::int64_t> coming, std::span<const std::int64_t> used) const noexcept override {
    data_->prefetch(coming, used);
  }

 private:
  static DataInfo info_of(DataInfo info, std::int64_t length) {
    if (length < 1)
      throw_invalid("windows of " + std::to_string(length) + " samples are impossible: the length must be at least 1");
    if (info.labels_per_sample > 1) throw_invalid("windows of samples with several labels are impossible");
    info.num_samples -= length - 1;
    info.value_names.clear();
    info.encoding = {};
    info.shape.insert(info.shape.begin(), length);
    std::erase_if(info.parts, [&info](std::int64_t first) { return first >= info.num_samples; });
    return info;
  }

  void read(const BatchRequest& request) const override {
    const auto size = static_cast<std::size_t>(info().sample_size());
    const auto targets = static_cast<std::size_t>(info().num_targets);
    BatchMemory memory;
    std::vector<std::int64_t> samples(static_cast<std::size_t>(length_));
    for (std::size_t i = 0; i < request.samples.size(); ++i) {
      for (std::size_t k = 0; k < samples.size(); ++k) samples[k] = request.samples[i] + static_cast<std::int64_t>(k);
      BatchRequest series = memory.prepare(data_->info(), samples, request.drawn);
      if (request.holes.empty()) series.holes = {};
      data_->fill(series);
      if (std::ranges::any_of(series.holes, [](std::uint8_t hole) { return hole != 0; })) request.holes[i] = 1;
      std::ranges::copy(series.values, request.values.begin() + static_cast<std::ptrdiff_t>(i * size));
      if (!request.labels.empty()) request.labels[i] = series.labels.back();
      std::ranges::copy(series.targets.last(targets),
                        request.targets.begin() + static_cast<std::ptrdiff_t>(i * targets));
    }
  }

  DataPtr data_;
  std::int64_t length_;
};

}  // namespace

DataPtr map(DataPtr data, std::vector<std::int64_t> shape, Change change) {
  return std::make_shared<const Mapped>(std::move(data), std::move(shape), std::move(change));
}

DataPtr window(DataPtr data, std::int64_t length) { return std::make_shared<const Windows>(std::move(data), length); }

}  // namespace troupe::data
