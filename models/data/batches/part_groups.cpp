#include "models/data/batches/part_groups.hpp"

#include <algorithm>
#include <utility>

#include "models/data/batches/shuffle.hpp"

namespace troupe {
namespace {

/// A part of the stream number of the random generator for shuffling. Therefore shuffling draws other random numbers
/// than other users of the same seed and shard.
constexpr std::uint64_t kShuffleStream = 0x73687566ULL << 32;

}  // namespace

Random order_random(int shard, std::int64_t epoch, std::uint64_t seed) {
  return Random(seed, kShuffleStream + static_cast<std::uint64_t>(shard), static_cast<std::uint64_t>(epoch));
}

void shuffle_parts(std::vector<Stretch>& parts, Random& random) { shuffle(std::span(parts), random); }

std::vector<PartGroup> part_groups(std::span<const Stretch> parts, std::int64_t window, std::int64_t most_parts) {
  std::vector<PartGroup> groups;
  bool ended = true;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (std::exchange(ended, false)) groups.push_back({parts.subspan(i, 0)});
    PartGroup& group = groups.back();
    group.parts = std::span(group.parts.data(), group.parts.size() + 1);
    group.samples += parts[i].count();
    ended = std::ssize(group.parts) == most_parts || group.samples >= window;
  }
  return groups;
}

void announce_from(const DataSource& data, std::int64_t sample) {
  constexpr std::size_t kParts = 4;
  const std::span<const std::int64_t> parts = data.info().parts;
  if (parts.empty()) return;
  const std::ptrdiff_t begin = std::max<std::ptrdiff_t>(0, std::ranges::upper_bound(parts, sample) - parts.begin() - 1);
  const auto from = parts.subspan(static_cast<std::size_t>(begin));
  data.prefetch(from.first(std::min(kParts, from.size())));
}

PartsAhead::PartsAhead(std::shared_ptr<const DataSource> data, std::int64_t batch_size)
    : data_(std::move(data)), batch_size_(batch_size) {}

void PartsAhead::announce(const ShardStep& at) {
  const DataInfo& info = data_->info();
  if (info.parts.empty() || batch_size_ == 0) return;
  const std::int64_t largest = largest_shard(info.num_samples, info.parts, at.num_shards);
  const std::int64_t steps = (largest - 1) / batch_size_ + 1;
  const Epoch& now = epoch(at, at.step / steps);
  std::int64_t left = at.step % steps * batch_size_;
  auto group = now.groups.begin();
  for (; group != now.groups.end() && left >= group->samples; ++group) left -= group->samples;
  if (group != now.groups.end()) announce(*group++);
  if (group == now.groups.end()) {
    const Epoch& next = epoch(at, at.step / steps + 1);
    if (!next.groups.empty()) announce(next.groups.front());
  } else {
    announce(*group);
  }
}

/// Returns the parts in the order of an epoch, and forgets those of other epochs of the shard, except for the epoch
/// before it.
const PartsAhead::Epoch& PartsAhead::epoch(const ShardStep& at, std::int64_t number) {
  const auto is_it = [&](const auto& each) {
    return each->shard == at.shard && each->num_shards == at.num_shards && each->seed == at.seed &&
           each->number == number;
  };
  if (const auto found = std::ranges::find_if(epochs_, is_it); found != epochs_.end()) return **found;
  std::erase_if(epochs_, [&](const auto& each) {
    return each->num_shards != at.num_shards || (each->shard == at.shard && each->number != number - 1);
  });
  auto fresh = std::make_unique<Epoch>(Epoch{at.shard, at.num_shards, number, at.seed});
  const DataInfo& info = data_->info();
  fresh->parts = shard_stretches(info.num_samples, info.parts, at.shard, at.num_shards);
  Random random = order_random(at.shard, number, at.seed);
  shuffle_parts(fresh->parts, random);
  fresh->groups = part_groups(fresh->parts, kShuffledTogether, info.held_parts);
  return *epochs_.emplace_back(std::move(fresh));
}

void PartsAhead::announce(const PartGroup& group) const {
  std::vector<std::int64_t> samples;
  for (const Stretch& part : group.parts)
    if (part.count() > 0) samples.push_back(part.begin);
  data_->prefetch(samples);
}

}  // namespace troupe
