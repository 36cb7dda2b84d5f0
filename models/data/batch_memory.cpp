#include "models/data/batch_memory.hpp"

namespace troupe {

Batch BatchMemory::fill(const DataSource& from, std::span<const std::int64_t> samples, std::optional<DrawnFor> drawn) {
  from.fill(prepare(from.info(), samples, drawn));
  return batch();
}

BatchRequest BatchMemory::prepare(const DataInfo& info, std::span<const std::int64_t> samples,
                                  std::optional<DrawnFor> drawn) {
  numbers_.assign(samples.begin(), samples.end());
  values_.resize(samples.size() * static_cast<std::size_t>(info.sample_size()));
  labels_.resize(info.num_classes > 0 ? samples.size() : 0);
  targets_.resize(samples.size() * static_cast<std::size_t>(info.num_targets));
  return {.samples = numbers_, .values = values_, .labels = labels_, .targets = targets_, .drawn = drawn};
}

Batch BatchMemory::batch() const { return {std::ssize(numbers_), values_, labels_, targets_, numbers_}; }

}  // namespace troupe
