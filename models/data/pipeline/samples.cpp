#include "models/data/pipeline/samples.hpp"

#include <algorithm>
#include <numeric>

#include "models/data/batches/batch_memory.hpp"
#include "models/data/batches/part_groups.hpp"

namespace troupe::data {

SampleView sample_of(const BatchRequest& batch, std::size_t index, const DataInfo& info) {
  const auto size = static_cast<std::size_t>(info.sample_size());
  const auto targets = static_cast<std::size_t>(info.num_targets);
  SampleView sample{.number = batch.samples[index], .values = batch.values.subspan(index * size, size)};
  const std::size_t labels = info.num_labels(1);
  sample.labels = batch.labels.subspan(index * labels, labels);
  if (labels == 1) sample.label = sample.labels.front();
  if (!batch.targets.empty()) sample.targets = batch.targets.subspan(index * targets, targets);
  return sample;
}

void for_each_sample(const DataSource& data, const std::function<void(const SampleView&)>& use) {
  constexpr std::int64_t kAtOnce = 64;
  BatchMemory memory;
  const std::vector<Stretch> parts = all_parts(data);
  for (std::int64_t begin = 0; begin < data.info().num_samples; begin += kAtOnce) {
    std::vector<std::int64_t> samples(static_cast<std::size_t>(std::min(kAtOnce, data.info().num_samples - begin)));
    std::iota(samples.begin(), samples.end(), begin);
    const BatchRequest batch = memory.prepare(data.info(), samples, {});
    announce_from(data, parts, begin);
    data.fill(batch);
    for (std::size_t i = 0; i < samples.size(); ++i)
      if (batch.holes.empty() || batch.holes[i] == 0) use(sample_of(batch, i, data.info()));
  }
}

}  // namespace troupe::data
