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

void announce_from(const DataSource& data, std::span<const Stretch> parts, std::int64_t sample) {
  constexpr std::size_t kParts = 4;
  constexpr std::size_t kReleased = 64;
  if (data.info().parts.empty()) return;
  const auto after = std::ranges::upper_bound(parts, sample, {}, &Stretch::begin);
  const auto begin = static_cast<std::size_t>(std::max<std::ptrdiff_t>(0, after - parts.begin() - 1));
  std::vector<std::int64_t> coming;
  for (const Stretch& part : parts.subspan(begin).first(std::min(kParts, parts.size() - begin)))
    coming.push_back(part.begin);
  std::vector<std::int64_t> used;  // the part before this one may belong to a batch that is being read
  for (std::size_t part = begin > kReleased ? begin - kReleased : 0; part + 1 < begin; ++part)
    used.push_back(parts[part].begin);
  data.prefetch(coming, used);
}

std::vector<Stretch> all_parts(const DataSource& data) {
  return shard_stretches(data.info().num_samples, data.info().parts, 0, 1);
}

PartsAhead::PartsAhead(std::shared_ptr<const DataSource> data, std::int64_t batch_size)
    : data_(std::move(data)), batch_size_(batch_size) {}

void PartsAhead::announce(const ShardStep& at, std::int64_t steps) {
  if (data_->info().parts.empty() || batch_size_ == 0 || steps == 0) return;
  const Epoch& now = epoch(at, at.step / steps);
  std::int64_t left = at.step % steps * batch_size_;
  auto group = now.groups.begin();
  for (; group != now.groups.end() && left >= group->samples; ++group) left -= group->samples;
  std::vector<std::int64_t> coming;
  const auto add = [&coming](const PartGroup& more) {
    for (const Stretch& part : more.parts)
      if (part.count() > 0) coming.push_back(part.begin);
  };
  if (group != now.groups.end()) add(*group++);
  if (group != now.groups.end())
    add(*group);
  else if (const Epoch& next = epoch(at, at.step / steps + 1); !next.groups.empty())
    add(next.groups.front());
  announce(at.shard, std::move(coming));
}

void PartsAhead::announce(int shard, std::vector<std::int64_t> coming) {
  auto before = std::ranges::find(announced_, shard, &Announced::shard);
  if (before == announced_.end()) before = announced_.insert(announced_.end(), {shard});
  std::vector<std::int64_t> used;
  for (const std::int64_t sample : before->samples)
    if (std::ranges::find(coming, sample) == coming.end()) used.push_back(sample);
  data_->prefetch(coming, used);
  before->samples = std::move(coming);
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

}  // namespace troupe
