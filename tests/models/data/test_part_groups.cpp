#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "models/data/batches/part_groups.hpp"
#include "troupe/data.hpp"

using namespace troupe;

namespace {

/// Data in parts of ten samples each. Records which parts were announced.
class Parts final : public DataSource {
 public:
  Parts(int parts, int most_held)
      : DataSource([&] {
          DataInfo info{
              .num_samples = 10 * parts, .shape = {1}, .num_classes = 2, .slow = true, .held_parts = most_held};
          for (int i = 0; i < parts; ++i) info.parts.push_back(10 * i);
          return info;
        }()) {}

  void prefetch(std::span<const std::int64_t> coming, std::span<const std::int64_t> used) const noexcept override {
    for (const std::int64_t sample : used) held.erase(sample / 10);
    for (const std::int64_t sample : coming) held.insert(sample / 10);
  }

  mutable std::set<std::int64_t> held;  ///< parts that were announced and not released

 private:
  void read(const BatchRequest& request) const override { std::ranges::fill(request.labels, 0); }
};

}  // namespace

TEST_CASE("a group of parts ends when it has enough samples or parts") {
  const std::vector<Stretch> parts{{0, 10}, {10, 20}, {20, 60}, {60, 70}, {70, 71}};
  const auto sizes = [&](std::int64_t window, std::int64_t most) {
    std::vector<std::pair<std::size_t, std::int64_t>> all;
    for (const PartGroup& group : part_groups(parts, window, most)) all.emplace_back(group.parts.size(), group.samples);
    return all;
  };
  using Sizes = std::vector<std::pair<std::size_t, std::int64_t>>;
  CHECK(sizes(1000, 2) == Sizes{{2, 20}, {2, 50}, {1, 1}});
  CHECK(sizes(15, 0) == Sizes{{2, 20}, {1, 40}, {2, 11}});
  CHECK(sizes(1000, 0) == Sizes{{5, 71}});
  CHECK(part_groups({}, 10, 1).empty());
}

TEST_CASE("the parts of each step were announced at the latest a group before, and are released after it") {
  const auto data = std::make_shared<Parts>(12, 2);
  PartsAhead ahead(data, 5);
  BatchSampler sampler(data->info(), 5);
  const int shards = 2;
  const std::int64_t steps = sampler.steps_per_epoch(shards);
  CHECK(steps == 12);
  std::vector<std::set<std::int64_t>> held;                // after each step
  for (std::int64_t step = 3; step < 3 * steps; ++step) {  // begins in the middle of an epoch
    std::set<std::int64_t> needed;
    for (int shard = 0; shard < shards; ++shard) {
      ahead.announce({shard, shards, step, 1}, steps);
      for (const std::int64_t sample : sampler.batch(shard, shards, step, 1)) needed.insert(sample / 10);
    }
    held.push_back(data->held);
    const auto& before = held.size() > 4 ? held[held.size() - 5] : held.back();  // a group has four steps
    CHECK(std::includes(before.begin(), before.end(), needed.begin(), needed.end()));
    CHECK(data->held.size() <= 8);  // two groups of two parts for each shard
  }
}

TEST_CASE("a reader of all samples announces the next parts, and releases those before") {
  const Parts data(20, 2);
  for (std::int64_t sample = 0; sample < 200; sample += 7) {
    announce_from(data, all_parts(data), sample);
    for (std::int64_t part = sample / 10; part < std::min<std::int64_t>(20, sample / 10 + 4); ++part)
      CHECK(data.held.contains(part));
    CHECK(data.held.size() <= 5);
  }
}
