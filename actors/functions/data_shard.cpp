#include <numeric>
#include <utility>

#include "runtime/invalid.hpp"
#include "troupe/here.hpp"

namespace troupe {
namespace {

std::int64_t samples_of(std::int64_t all, int rank, int size) { return (all - rank + size - 1) / size; }

}  // namespace

DataShard::DataShard(std::shared_ptr<const DataSource> source, int rank, int size, std::uint64_t seed)
    : source_(std::move(source)), rank_(rank), size_(size), seed_(seed) {}

std::int64_t DataShard::num_samples() const { return samples_of(info().num_samples, rank_, size_); }

std::int64_t DataShard::batches_per_epoch(std::int64_t batch_size) const {
  if (batch_size < 1) throw_invalid("a batch has 1 sample at least");
  return BatchSampler(info(), batch_size).steps_per_epoch(size_);
}

Samples DataShard::batch(std::int64_t number, std::int64_t batch_size) const {
  if (number < 0) throw_invalid("batches are counted from 0");
  BatchSampler sampler(info(), batch_size);
  const auto numbers = sampler.batch(rank_, size_, number, seed_);
  return read(numbers, number / batches_per_epoch(batch_size));
}

Samples DataShard::all() const {
  std::vector<std::int64_t> numbers(static_cast<std::size_t>(num_samples()));
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = rank_ + static_cast<std::int64_t>(i) * size_;
  return read(numbers, 0);
}

Samples DataShard::read(std::span<const std::int64_t> numbers, std::int64_t epoch) const {
  Samples samples;
  samples.count = std::ssize(numbers);
  const std::size_t count = numbers.size();
  samples.values.resize(count * static_cast<std::size_t>(info().sample_size()));
  if (info().num_classes > 0) samples.labels.resize(count);
  samples.targets.resize(count * static_cast<std::size_t>(info().num_targets));
  BatchRequest request{numbers, samples.values, samples.labels, samples.targets};
  request.drawn = DrawnFor{seed_, epoch};
  source_->fill(request);
  return samples;
}

}  // namespace troupe
