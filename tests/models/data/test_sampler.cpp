#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "models/files.hpp"
#include "troupe/data.hpp"

using namespace troupe;
using troupe::testing::check_throws;

namespace {

using SampleNumbers = std::vector<std::int64_t>;

SampleNumbers epoch_of(BatchSampler& sampler, int shard, int num_shards, std::int64_t epoch, std::uint64_t seed = 1) {
  SampleNumbers all;
  const std::int64_t steps = sampler.steps_per_epoch(num_shards);
  for (std::int64_t step = epoch * steps; step < (epoch + 1) * steps; ++step) {
    const auto batch = sampler.batch(shard, num_shards, step, seed);
    all.insert(all.end(), batch.begin(), batch.end());
  }
  return all;
}

SampleNumbers sorted(SampleNumbers samples) {
  std::ranges::sort(samples);
  return samples;
}

SampleNumbers shard_samples(std::int64_t num_samples, int shard, int num_shards) {
  SampleNumbers samples;
  for (std::int64_t i = shard; i < num_samples; i += num_shards) samples.push_back(i);
  return samples;
}

}  // namespace

TEST_CASE("every epoch visits every sample of a shard once") {
  for (const int num_shards : {1, 2, 3, 7}) {
    for (const std::int64_t batch_size : {1, 4, 5, 100}) {
      BatchSampler sampler(23, batch_size);
      for (int shard = 0; shard < num_shards; ++shard) {
        CAPTURE(num_shards);
        CAPTURE(batch_size);
        CAPTURE(shard);
        for (const std::int64_t epoch : {0, 1, 5}) {
          CHECK(sorted(epoch_of(sampler, shard, num_shards, epoch)) == shard_samples(23, shard, num_shards));
        }
      }
    }
  }
}

TEST_CASE("the order is a function of seed, shard and epoch") {
  BatchSampler sampler(1000, 10);
  const SampleNumbers order = epoch_of(sampler, 0, 2, 3);
  CHECK(order != shard_samples(1000, 0, 2));
  CHECK(order != epoch_of(sampler, 0, 2, 4));
  CHECK(order != epoch_of(sampler, 0, 2, 3, 2));
  BatchSampler fresh(1000, 10);
  CHECK(order == epoch_of(fresh, 0, 2, 3));
}

TEST_CASE("the order of data without parts never changes: resumed runs depend on it") {
  BatchSampler sampler(12, 12);
  const SampleNumbers pinned{3, 2, 5, 8, 10, 7, 9, 6, 11, 0, 4, 1};
  CHECK(epoch_of(sampler, 0, 1, 2, 7) == pinned);
  BatchSampler of_info(DataInfo{.num_samples = 12, .shape = {1}, .num_classes = 2}, 12);
  CHECK(epoch_of(of_info, 0, 1, 2, 7) == pinned);
}

TEST_CASE("all batches but the last are full") {
  BatchSampler sampler(10, 4);
  CHECK(sampler.steps_per_epoch(1) == 3);
  CHECK(sampler.batch(0, 1, 0, 1).size() == 4);
  CHECK(sampler.batch(0, 1, 1, 1).size() == 4);
  CHECK(sampler.batch(0, 1, 2, 1).size() == 2);
  CHECK(sampler.batch(0, 1, 3, 1).size() == 4);
}

TEST_CASE("a step count covers the largest shard, and smaller shards get empty batches") {
  BatchSampler sampler(5, 1);
  CHECK(sampler.steps_per_epoch(2) == 3);
  CHECK(sampler.batch(0, 2, 2, 1).size() == 1);
  CHECK(sampler.batch(1, 2, 2, 1).empty());
  CHECK(sampler.batch(1, 2, 3, 1).size() == 1);
}

TEST_CASE("shards without samples get empty batches") {
  BatchSampler sampler(2, 1);
  CHECK(sampler.batch(2, 3, 0, 1).empty());
  BatchSampler whole(2, 0);
  CHECK(whole.batch(2, 3, 0, 1).empty());
}

TEST_CASE("a batch size of 0 means the whole shard, in order, at each step") {
  BatchSampler sampler(7, 0);
  CHECK(sampler.steps_per_epoch(2) == 1);
  for (const std::int64_t step : {0, 1, 9}) {
    const auto batch = sampler.batch(1, 2, step, 5);
    CHECK(SampleNumbers(batch.begin(), batch.end()) == SampleNumbers{1, 3, 5});
  }
}

TEST_CASE("shards may be requested in any order") {
  BatchSampler sampler(100, 8);
  const auto copy = [&](int shard, int num_shards, std::int64_t step) {
    const auto batch = sampler.batch(shard, num_shards, step, 1);
    return SampleNumbers(batch.begin(), batch.end());
  };
  const SampleNumbers first = copy(2, 3, 1);
  copy(1, 3, 7);
  copy(2, 3, 30);
  copy(2, 4, 1);
  CHECK(copy(2, 3, 1) == first);
}

namespace {

/// Returns data info with parts of 10, 20, 30, 5, 35 and 40 samples.
DataInfo in_parts() { return {.num_samples = 140, .shape = {1}, .num_classes = 2, .parts = {0, 10, 30, 60, 65, 100}}; }

SampleNumbers whole_parts(const DataInfo& info, int shard, int num_shards) {
  SampleNumbers samples;
  for (std::size_t part = static_cast<std::size_t>(shard); part < info.parts.size();
       part += static_cast<std::size_t>(num_shards)) {
    const std::int64_t end = part + 1 < info.parts.size() ? info.parts[part + 1] : info.num_samples;
    for (std::int64_t i = info.parts[part]; i < end; ++i) samples.push_back(i);
  }
  return samples;
}

/// Returns the parts that a shard visits, in order, with a repetition for each change of part.
std::vector<std::ptrdiff_t> parts_in_turn(const DataInfo& info, const SampleNumbers& samples) {
  std::vector<std::ptrdiff_t> turns;
  for (const std::int64_t sample : samples) {
    const std::ptrdiff_t part = std::ranges::upper_bound(info.parts, sample) - info.parts.begin() - 1;
    if (turns.empty() || turns.back() != part) turns.push_back(part);
  }
  return turns;
}

}  // namespace

TEST_CASE("a shard of data in parts gets whole parts, and each epoch visits every sample of them once") {
  const DataInfo info = in_parts();
  for (const int num_shards : {1, 2, 4, 6}) {
    BatchSampler sampler(info, 7);
    std::size_t largest = 0;
    for (int shard = 0; shard < num_shards; ++shard) {
      const SampleNumbers own = whole_parts(info, shard, num_shards);
      largest = std::max(largest, own.size());
      for (const std::int64_t epoch : {0, 1, 5}) CHECK(sorted(epoch_of(sampler, shard, num_shards, epoch)) == own);
    }
    CHECK(sampler.steps_per_epoch(num_shards) == static_cast<std::int64_t>((largest + 6) / 7));
  }
}

TEST_CASE("if there are fewer parts than shards, samples are dealt to the shards as without parts") {
  const DataInfo info = in_parts();
  BatchSampler sampler(info, 4);
  for (int shard = 0; shard < 7; ++shard)
    CHECK(sorted(epoch_of(sampler, shard, 7, 1)) == shard_samples(info.num_samples, shard, 7));
  CHECK(sampler.steps_per_epoch(7) == 5);
  BatchSampler more(DataInfo{.num_samples = 3, .shape = {1}, .num_classes = 2, .parts = {0, 2}}, 1);
  CHECK(epoch_of(more, 2, 5, 0) == SampleNumbers{2});
  CHECK(epoch_of(more, 4, 5, 0).empty());
}

TEST_CASE("parts are visited in a drawn order, one after the other if the window is no larger than a part") {
  DataInfo info = in_parts();
  BatchSampler single(info, 6, /*window=*/1);
  const auto turns = parts_in_turn(info, epoch_of(single, 0, 1, 0));
  CHECK(turns.size() == 6);
  CHECK(turns != parts_in_turn(info, epoch_of(single, 0, 1, 1)));
  CHECK(!std::ranges::is_sorted(epoch_of(single, 5, 6, 0)));  // shuffled within a part
  // With windows of 45 samples or more, at least two parts are mixed, and never all six.
  BatchSampler some(info, 6, 45);
  const SampleNumbers mixed = epoch_of(some, 0, 1, 0);
  CHECK(parts_in_turn(info, mixed).size() > 6);
  const SampleNumbers first(mixed.begin(), mixed.begin() + 45);
  CHECK(parts_in_turn(info, sorted(first)).size() < 6);
  info.held_parts = 1;
  BatchSampler held(info, 6);
  CHECK(parts_in_turn(info, epoch_of(held, 0, 1, 0)).size() == 6);
}

TEST_CASE("the order of data in parts is a function of seed, shard and epoch, not of earlier requests") {
  BatchSampler sampler(in_parts(), 6);
  const SampleNumbers order = epoch_of(sampler, 1, 2, 3);
  CHECK(order != epoch_of(sampler, 1, 2, 4));
  CHECK(order != epoch_of(sampler, 1, 2, 3, 2));
  BatchSampler fresh(in_parts(), 6);
  CHECK(order == epoch_of(fresh, 1, 2, 3));
  BatchSampler whole(in_parts(), 0);
  const auto batch = whole.batch(1, 2, 3, 5);
  CHECK(SampleNumbers(batch.begin(), batch.end()) == whole_parts(in_parts(), 1, 2));
}

TEST_CASE("invalid numbers of samples, shards and steps are refused") {
  const auto invalid = [](const std::string& what, auto call) {
    check_throws(ErrorCode::invalid_argument, what, call);
  };
  invalid("batch size is negative: -1", [] { BatchSampler(3, -1); });
  invalid("samples is negative: -3", [] { BatchSampler(-3, 1); });
  invalid("window of 0", [] { BatchSampler(in_parts(), 1, 0); });
  BatchSampler sampler(3, 1);
  invalid("shards must be at least 1, not 0", [&] { sampler.steps_per_epoch(0); });
  invalid("shard 2", [&] { sampler.batch(2, 2, 0, 1); });
  invalid("shard -1", [&] { sampler.batch(-1, 2, 0, 1); });
  invalid("step is negative: -1", [&] { sampler.batch(0, 2, -1, 1); });
}
