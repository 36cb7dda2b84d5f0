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
  Parts(int parts, int held)
      : DataSource([&] {
          DataInfo info{.num_samples = 10 * parts, .shape = {1}, .num_classes = 2, .slow = true, .held_parts = held};
          for (int i = 0; i < parts; ++i) info.parts.push_back(10 * i);
          return info;
        }()) {}

  void prefetch(std::span<const std::int64_t> samples) const noexcept override {
    for (const std::int64_t sample : samples) announced.insert(sample / 10);
  }

  mutable std::set<std::int64_t> announced;

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

TEST_CASE("the parts of the samples of each step were announced at least a group before") {
  const auto data = std::make_shared<Parts>(12, 2);
  PartsAhead ahead(data, 5);
  BatchSampler sampler(data->info(), 5);
  const int shards = 2;
  const std::int64_t steps = sampler.steps_per_epoch(shards);
  CHECK(steps == 12);
  std::set<std::int64_t> before;
  for (std::int64_t step = 3; step < 3 * steps; ++step) {  // begins in the middle of an epoch
    for (int shard = 0; shard < shards; ++shard) {
      std::set<std::int64_t> needed;
      for (const std::int64_t sample : sampler.batch(shard, shards, step, 1)) needed.insert(sample / 10);
      if (step > 7)
        CHECK(std::includes(before.begin(), before.end(), needed.begin(),
                            needed.end()));  // the group before has four steps
    }
    if (step % 4 == 3) {
      before = std::exchange(data->announced, {});
      for (int shard = 0; shard < shards; ++shard) ahead.announce({shard, shards, step, 1});
      CHECK(data->announced.size() <= 8);  // two groups of two parts for each shard
      before.insert(data->announced.begin(), data->announced.end());
    }
  }
}
