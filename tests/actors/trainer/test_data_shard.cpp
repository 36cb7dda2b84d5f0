#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <string>

#include "runtime/http/web_server.hpp"
#include "support/errors.hpp"
#include "troupe/task_context.hpp"

using namespace troupe;

namespace {

/// Data whose values are the numbers of the samples, plus 1000 times the epoch if they vary.
class Numbers final : public DataSource {
 public:
  Numbers(bool varies, bool slow)
      : DataSource({.num_samples = 50, .shape = {1}, .num_classes = 2, .varies = varies, .slow = slow}) {}

  mutable std::atomic<int> read_samples = 0;

 private:
  void read(const BatchRequest& request) const override {
    for (std::size_t i = 0; i < request.samples.size(); ++i) {
      request.values[i] = static_cast<float>(request.samples[i]);
      if (info().varies && request.drawn) request.values[i] += 1000.0F * static_cast<float>(request.drawn->epoch);
      request.labels[i] = static_cast<std::int32_t>(request.samples[i] % 2);
    }
    read_samples += static_cast<int>(std::ssize(request.samples));
  }
};

}  // namespace

TEST_CASE("a loop over the batches of a shard has the samples of its epoch, whether they are read ahead or not") {
  for (const bool varies : {false, true})
    for (const bool slow : {false, true})
      for (const bool trains : {false, true}) {
        const DataShard shard(std::make_shared<Numbers>(varies, slow), 1, 3, 7, trains);
        for (std::int64_t epoch = 0; epoch < 3; ++epoch) {
          std::int64_t number = epoch * shard.batches_per_epoch(4);
          for (const Samples& batch : shard.batches(4, epoch)) {
            const Samples expected = shard.batch(number++, 4);
            CHECK(batch.count == expected.count);
            CHECK(batch.values == expected.values);
            CHECK(batch.labels == expected.labels);
          }
          CHECK(number == (epoch + 1) * shard.batches_per_epoch(4));
        }
      }
}

TEST_CASE("loops over the same shard at the same time do not disturb each other, and each sample is read once") {
  const auto data = std::make_shared<Numbers>(false, true);
  {
    const DataShard shard(data, 0, 1, 7);
    for (const Samples& outer : shard.batches(25))
      for (const Samples& inner : shard.batches(25)) CHECK(outer.count == inner.count);
  }  // waits until nothing is read ahead any more
  data->read_samples = 0;
  const DataShard shard(data, 0, 1, 7);
  for (std::int64_t epoch = 0; epoch < 4; ++epoch)
    for (const Samples& batch : shard.batches(10, epoch)) CHECK(batch.count == 10);
  const int read = data->read_samples;
  CHECK(read <= 4 * 50 + 30);  // three batches ahead
}

TEST_CASE("batches of an impossible size or epoch are refused") {
  const DataShard shard(std::make_shared<Numbers>(false, true), 0, 1, 7);
  CHECK(code_of([&] { shard.batches(0); }) == ErrorCode::invalid_argument);
  CHECK(code_of([&] { shard.batches(1, -1); }) == ErrorCode::invalid_argument);
  CHECK(code_of([&] { shard.batches(1, INT64_MAX); }) == ErrorCode::invalid_argument);
}

TEST_CASE("a function learns what its process has read from servers") {
  std::string table = "x,y\n";
  for (int i = 0; i < 1000; ++i) table += std::to_string(i) + ',' + std::to_string(i % 2) + '\n';
  const troupe_test::WebServer web([&](const auto& request) { return troupe_test::serve(request, table); });
  const RemoteTraffic before = here().remote_traffic();
  const TrainingData data = load_data("csv:" + web.url("/a.csv") + ",target=y");
  CHECK(DataShard(data.train, 0, 2, 1).all().count == 500);
  const RemoteTraffic after = here().remote_traffic();
  CHECK(after.bytes - before.bytes >= std::ssize(table));
  CHECK(after.requests - before.requests == web.requests());
}
