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

TEST_CASE("batches are full but for the last") {
  BatchSampler sampler(10, 4);
  CHECK(sampler.steps_per_epoch(1) == 3);
  CHECK(sampler.batch(0, 1, 0, 1).size() == 4);
  CHECK(sampler.batch(0, 1, 1, 1).size() == 4);
  CHECK(sampler.batch(0, 1, 2, 1).size() == 2);
  CHECK(sampler.batch(0, 1, 3, 1).size() == 4);
}

TEST_CASE("uneven shards take as many steps as the largest, and the others run out") {
  BatchSampler sampler(5, 1);
  CHECK(sampler.steps_per_epoch(2) == 3);
  CHECK(sampler.batch(0, 2, 2, 1).size() == 1);
  CHECK(sampler.batch(1, 2, 2, 1).empty());
  CHECK(sampler.batch(1, 2, 3, 1).size() == 1);
}

TEST_CASE("shards without samples give none") {
  BatchSampler sampler(2, 1);
  CHECK(sampler.batch(2, 3, 0, 1).empty());
  BatchSampler whole(2, 0);
  CHECK(whole.batch(2, 3, 0, 1).empty());
}

TEST_CASE("a batch size of 0 takes the whole shard, in order, at each step") {
  BatchSampler sampler(7, 0);
  CHECK(sampler.steps_per_epoch(2) == 1);
  for (const std::int64_t step : {0, 1, 9}) {
    const auto batch = sampler.batch(1, 2, step, 5);
    CHECK(SampleNumbers(batch.begin(), batch.end()) == SampleNumbers{1, 3, 5});
  }
}

TEST_CASE("shards may be asked for in any order") {
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

TEST_CASE("numbers that make no sense are refused") {
  const auto invalid = [](const std::string& what, auto call) {
    check_throws(ErrorCode::invalid_argument, what, call);
  };
  invalid("batch size of -1", [] { BatchSampler(3, -1); });
  invalid("samples of -3", [] { BatchSampler(-3, 1); });
  BatchSampler sampler(3, 1);
  invalid("shards of 0", [&] { sampler.steps_per_epoch(0); });
  invalid("shard 2", [&] { sampler.batch(2, 2, 0, 1); });
  invalid("shard -1", [&] { sampler.batch(-1, 2, 0, 1); });
  invalid("step -1", [&] { sampler.batch(0, 2, -1, 1); });
}
