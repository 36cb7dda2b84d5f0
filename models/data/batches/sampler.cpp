#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include "models/data/batches/part_groups.hpp"
#include "models/data/batches/shuffle.hpp"
#include "models/data/batches/stretches.hpp"
#include "runtime/invalid.hpp"
#include "runtime/random.hpp"
#include "troupe/data.hpp"
#include "troupe/error.hpp"

namespace troupe {
namespace {

std::int64_t divide_up(std::int64_t a, std::int64_t b) { return a / b + (a % b != 0 ? 1 : 0); }

void make_room(std::vector<std::int64_t>& samples, std::int64_t count) {
  try {
    samples.resize(static_cast<std::size_t>(count));
  } catch (const std::exception&) {  // the order is too long for a vector, or there is not enough memory
    throw Error(ErrorCode::limit_reached, "not enough memory for the order of a shard's " + std::to_string(count) +
                                              " samples (8 bytes each): use more shards");
  }
}

void write_samples(const std::vector<Stretch>& stretches, std::vector<std::int64_t>& samples) {
  make_room(samples, count_of(stretches));
  auto to = samples.begin();
  for (const Stretch& stretch : stretches)
    for (std::int64_t sample = stretch.begin; sample < stretch.end; sample += stretch.step) *to++ = sample;
}

/// Shuffles the samples within each group of parts.
/// @param samples the numbers of the samples, part by part
void shuffle_groups(const std::vector<PartGroup>& groups, std::span<std::int64_t> samples, Random& random) {
  for (const PartGroup& group : groups) {
    shuffle(samples.first(static_cast<std::size_t>(group.samples)), random);
    samples = samples.subspan(static_cast<std::size_t>(group.samples));
  }
}

}  // namespace

BatchSampler::BatchSampler(std::int64_t num_samples, std::int64_t batch_size)
    : num_samples_(num_samples), batch_size_(batch_size) {
  if (num_samples < 0) throw_invalid("the number of samples is negative: " + std::to_string(num_samples));
  if (batch_size < 0) throw_invalid("the batch size is negative: " + std::to_string(batch_size));
}

BatchSampler::BatchSampler(const DataInfo& info, std::int64_t batch_size, std::int64_t window)
    : BatchSampler(info.num_samples, batch_size) {
  if (window < 1)
    throw_invalid("a window of " + std::to_string(window) + " samples is too small: it must be at least 1");
  parts_ = info.parts;
  window_ = window;
  held_parts_ = info.held_parts;
}

std::int64_t BatchSampler::steps_per_epoch(int num_shards) const {
  if (num_shards < 1) throw_invalid("the number of shards must be at least 1, not " + std::to_string(num_shards));
  if (std::exchange(counted_shards_, num_shards) != num_shards)
    largest_ = largest_shard(num_samples_, parts_, num_shards);
  return batch_size_ == 0 ? std::min<std::int64_t>(largest_, 1) : divide_up(largest_, batch_size_);
}

std::span<const std::int64_t> BatchSampler::batch(int shard, int num_shards, std::int64_t step, std::uint64_t seed) {
  const std::int64_t steps = steps_per_epoch(num_shards);
  if (shard < 0 || shard >= num_shards)
    throw_invalid("there is no shard " + std::to_string(shard) + "; the number of shards is " +
                  std::to_string(num_shards));
  if (step < 0) throw_invalid("the step is negative: " + std::to_string(step));
  if (batch_size_ == 0 || steps == 0) return order(shard, num_shards, 0, 0);

  const std::span<const std::int64_t> samples = order(shard, num_shards, step / steps, seed);
  const auto begin = std::min(static_cast<std::size_t>(step % steps * batch_size_), samples.size());
  return samples.subspan(begin, std::min(static_cast<std::size_t>(batch_size_), samples.size() - begin));
}

const std::vector<std::int64_t>& BatchSampler::order(int shard, int num_shards, std::int64_t epoch,
                                                     std::uint64_t seed) {
  // A run never changes its number of shards. Orders for another number of shards belong to an earlier run, so they are
  // removed to free their memory.
  if (!orders_.empty() && orders_.front().num_shards != num_shards) orders_.clear();
  auto found = std::ranges::find(orders_, shard, &Order::shard);
  if (found == orders_.end()) {
    found = orders_.emplace(found);
    found->shard = shard;
    found->num_shards = num_shards;
  }
  if (found->epoch == epoch && found->seed == seed) return found->samples;

  found->epoch = -1;
  draw(*found, order_random(shard, epoch, seed));
  found->epoch = epoch;
  found->seed = seed;
  return found->samples;
}

/// Sets `order.samples` to the samples of the shard `order.shard` in the order of one epoch. Starts from the same
/// initial order in every epoch, so that the result does not depend on the epochs that this replica has computed
/// before.
/// @param random the generator of random numbers for this shard and epoch
void BatchSampler::draw(Order& order, Random random) const {
  std::vector<Stretch> stretches = shard_stretches(num_samples_, parts_, order.shard, order.num_shards);
  if (batch_size_ != 0 && !parts_.empty()) shuffle_parts(stretches, random);
  write_samples(stretches, order.samples);
  if (batch_size_ == 0) return;
  if (parts_.empty())
    shuffle(std::span(order.samples), random);
  else
    shuffle_groups(part_groups(stretches, window_, held_parts_), order.samples, random);
}

}  // namespace troupe
