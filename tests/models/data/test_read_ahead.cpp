#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <set>

#include "models/data/batches/read_ahead.hpp"
#include "models/files.hpp"
#include "support/patience.hpp"
#include "troupe/batches.hpp"
#include "troupe/data.hpp"

using namespace troupe;
using namespace troupe::testing;

namespace {

/// A slow source: the value of each sample is its number plus 1000 times the epoch. Counts the samples that it fills.
class SlowSource final : public DataSource {
 public:
  explicit SlowSource(std::int64_t samples)
      : DataSource({.num_samples = samples, .shape = {1}, .num_classes = 2, .slow = true}) {}

  std::int64_t filled() const { return filled_; }
  std::int64_t bad_sample = -1;

 private:
  void read(const BatchRequest& request) const override {
    for (std::size_t i = 0; i < request.samples.size(); ++i) {
      if (request.samples[i] == bad_sample)
        throw Error(ErrorCode::bad_file, "sample " + std::to_string(bad_sample) + " is damaged");
      request.values[i] = static_cast<float>(request.samples[i]);
      if (request.drawn) request.values[i] += 1000.0F * static_cast<float>(request.drawn->epoch);
      request.labels[i] = static_cast<std::int32_t>(request.samples[i] % 2);
    }
    filled_ += std::ssize(request.samples);
  }

  mutable std::atomic<std::int64_t> filled_ = 0;
};

std::vector<float> values_of(const Batch& batch) { return {batch.values.begin(), batch.values.end()}; }

}  // namespace

TEST_CASE("a batch that is read ahead has the requested samples, whichever thread filled its pieces") {
  const auto source = std::make_shared<SlowSource>(1000);
  ReadAhead ahead(source, 1 << 20);
  std::vector<std::int64_t> samples;
  std::vector<float> expected;
  for (int i = 0; i < 100; ++i) {
    samples.push_back(i * 7 % 1000);
    expected.push_back(static_cast<float>(samples.back()) + 3000);
  }
  for (int number = 0; number < 20; ++number) {
    ahead.need({.number = number}, samples, DrawnFor{1, 3});
    ahead.expect({.number = number + 1}, samples, DrawnFor{1, 3});
    const Batch batch = ahead.take({.number = number});
    CHECK(values_of(batch) == expected);
    CHECK(batch.labels[1] == 1);
    CHECK(batch.numbers[1] == 7);
  }
  CHECK(source->filled() <= 21 * 100);
  CHECK(ahead.take({.number = 99}).size == 0);
}

TEST_CASE("buffers of batches that are read ahead are reused") {
  ReadAhead ahead(std::make_shared<SlowSource>(10), 1 << 20);
  const std::vector<std::int64_t> two{1, 2};
  std::set<const float*> places;
  for (int number = 0; number < 50; ++number) {
    if (number % 10 == 9) ahead.forget(0);
    for (int next = number; next < number + 3; ++next) ahead.need({.number = next}, two, {});
    const Batch batch = ahead.take({.number = number});
    CHECK(values_of(batch) == std::vector<float>{1, 2});
    places.insert(batch.values.data());
  }
  CHECK(places.size() <= 4);
}

TEST_CASE("peek returns the filled batch that is likely taken next, and content ids of batches are unique") {
  const auto source = std::make_shared<SlowSource>(100);
  ReadAhead ahead(source, 1 << 20);
  CHECK(ahead.peek().size == 0);
  const std::vector<std::int64_t> first{1, 2, 3}, second{4, 5, 6};
  const auto peeked = [&] {
    CHECK(troupe_test::comes_true([&] { return ahead.peek().size > 0; }));
    return ahead.peek();
  };
  ahead.need({.shard = 0, .number = 1}, first, {});
  ahead.need({.shard = 1, .number = 0}, second, {});
  const Batch next = peeked();  // with the lowest number
  CHECK(values_of(next) == std::vector<float>{4, 5, 6});
  const Batch taken = ahead.take({.shard = 1, .number = 0});
  CHECK(taken.values.data() == next.values.data());
  CHECK(taken.content == next.content);
  CHECK(values_of(peeked()) == std::vector<float>{1, 2, 3});
  CHECK(ahead.peek().content != taken.content);
  ahead.take({.shard = 0, .number = 1});
  ahead.need({.shard = 1, .number = 1}, second, {});  // in the buffer of the first batch
  CHECK(peeked().content != taken.content);

  source->bad_sample = 5;
  ahead.forget(1);
  ahead.need({.shard = 1, .number = 2}, second, {});
  CHECK_THROWS_AS(ahead.take({.shard = 1, .number = 2}), Error);
  CHECK(ahead.peek().size == 0);
}

TEST_CASE("batches for a device equal batches for the CPU") {
  const auto images = load_data("mock-images:2,3,50", 1).train;
  for (const std::int64_t batch_size : {0, 7}) {
    const auto plain = dataset_batches({images, nullptr}, batch_size);
    const auto fed = dataset_batches({images, nullptr}, batch_size);
    fed->feed_device();
    for (std::int64_t step = 0; step < 40; ++step)
      for (int shard = 0; shard < 2; ++shard) {
        const ShardStep at{.shard = shard, .num_shards = 2, .step = step, .seed = 5};
        const Batch expected = plain->training_batch(at);
        const Batch found = fed->training_batch(at);
        CHECK(values_of(found) == values_of(expected));
        CHECK(std::ranges::equal(found.labels, expected.labels));
      }
  }
}

TEST_CASE("read-ahead stays within its memory, and forgotten batches free memory") {
  ReadAhead ahead(std::make_shared<SlowSource>(10), 3 * (sizeof(float) + sizeof(std::int32_t)));
  const std::vector<std::int64_t> two{1, 2};
  ahead.expect({.number = 0}, two, {});
  CHECK(ahead.expects({.number = 0}));
  ahead.expect({.shard = 1, .number = 0}, two, {});
  CHECK_FALSE(ahead.expects({.shard = 1, .number = 0}));
  ahead.need({.shard = 1, .number = 0}, two, {});
  CHECK(values_of(ahead.take({.shard = 1, .number = 0})) == std::vector<float>{1, 2});
  ahead.forget(0);
  CHECK_FALSE(ahead.expects({.number = 0}));
  ahead.expect({.number = 5}, two, {});
  CHECK(ahead.expects({.number = 5}));
}

TEST_CASE("the first unreadable sample fails its batch and no other batch") {
  const auto source = std::make_shared<SlowSource>(100);
  source->bad_sample = 50;
  ReadAhead ahead(source, 1 << 20);
  std::vector<std::int64_t> samples(64);
  for (std::size_t i = 0; i < samples.size(); ++i) samples[i] = static_cast<std::int64_t>(i);
  ahead.need({.number = 0}, samples, {});
  ahead.expect({.number = 1}, std::span(samples).first(40), {});
  check_throws(ErrorCode::bad_file, "sample 50 is damaged", [&] { ahead.take({.number = 0}); });
  CHECK(ahead.take({.number = 1}).size == 40);
}

TEST_CASE("slow data gives the same batches in any order of steps as step by step") {
  const auto source = std::make_shared<SlowSource>(101);
  const auto ahead = dataset_batches({source, source}, 10);
  const auto batch = [&](std::int64_t step, int shard) {
    return values_of(ahead->training_batch({.shard = shard, .num_shards = 2, .step = step, .seed = 5}));
  };
  std::vector<std::vector<float>> in_order;
  for (std::int64_t step = 0; step < 14; ++step) in_order.push_back(batch(step, 1));
  BatchSampler sampler(101, 10);
  for (const std::int64_t step : {13, 0, 1, 7, 6, 6}) {
    CHECK(batch(step, 1) == in_order[static_cast<std::size_t>(step)]);
    std::vector<float> wanted;
    for (const std::int64_t sample : sampler.batch(0, 2, step, 5))
      wanted.push_back(static_cast<float>(sample) + 1000.0F * static_cast<float>(step / 6));
    CHECK(batch(step, 0) == wanted);
  }
  std::multiset<float> tested;
  for (int shard = 0; shard < 2; ++shard)
    for (std::int64_t index = 0;; ++index) {
      const Batch part = ahead->test_batch({.shard = shard, .num_shards = 2, .step = 0, .seed = 5}, index);
      if (part.size == 0) break;
      tested.insert(part.values.begin(), part.values.end());
    }
  CHECK(tested.size() == 101);
  CHECK(*tested.rbegin() == 100);
}

TEST_CASE("a shard is trained and evaluated on its own parts, one part after the other") {
  class InParts final : public DataSource {
   public:
    explicit InParts(std::vector<std::int64_t> parts)
        : DataSource({.num_samples = 1500, .shape = {1}, .num_classes = 2, .parts = std::move(parts)}) {}

   private:
    void read(const BatchRequest& request) const override {
      for (std::size_t i = 0; i < request.samples.size(); ++i) {
        request.values[i] = static_cast<float>(request.samples[i]);
        request.labels[i] = 0;
      }
    }
  };
  const auto data = std::make_shared<InParts>(std::vector<std::int64_t>{0, 100, 800, 900});
  const auto batches = dataset_batches({data, data}, 50);
  const auto evaluated = [&](int shard, int num_shards) {
    std::vector<float> samples;
    for (std::int64_t index = 0;; ++index) {
      const Batch batch = batches->test_batch({.shard = shard, .num_shards = num_shards}, index);
      if (batch.size == 0) return samples;
      samples.insert(samples.end(), batch.values.begin(), batch.values.end());
    }
  };
  const auto range = [](int begin, int end, int step, std::vector<float> samples = {}) {
    for (int i = begin; i < end; i += step) samples.push_back(static_cast<float>(i));
    return samples;
  };
  CHECK(evaluated(0, 1) == range(0, 1500, 1));
  CHECK(evaluated(0, 2) == range(800, 900, 1, range(0, 100, 1)));
  CHECK(evaluated(1, 2) == range(900, 1500, 1, range(100, 800, 1)));
  CHECK(evaluated(3, 7) == range(3, 1500, 7));  // dealt round-robin, in order
  CHECK(batches->steps_per_epoch(2) == 26);
  std::set<float> trained;
  for (std::int64_t step = 0; step < 26; ++step)
    for (const float sample :
         values_of(batches->training_batch({.shard = 0, .num_shards = 2, .step = step, .seed = 1})))
      trained.insert(sample);
  CHECK(std::vector<float>(trained.begin(), trained.end()) == evaluated(0, 2));
}
