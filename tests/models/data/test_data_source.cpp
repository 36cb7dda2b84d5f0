#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <stdexcept>
#include <utility>

#include "models/data/samples.hpp"
#include "models/files.hpp"
#include "troupe/batches.hpp"

using namespace troupe;
using namespace troupe::testing;

namespace {

/// A source that writes samples with a function of the test.
class Written final : public DataSource {
 public:
  using Write = std::function<void(const BatchRequest&)>;

  Written(DataInfo info, Write write) : DataSource(std::move(info)), write_(std::move(write)) {}

 private:
  void read(const BatchRequest& request) const override { write_(request); }

  Write write_;
};

const DataInfo kSourceClasses{.num_samples = 9, .shape = {2}, .num_classes = 3};
const DataInfo kTargets{.num_samples = 9, .shape = {2}, .num_targets = 2};

void bad(const std::string& what, const DataInfo& info, const Written::Write& write) {
  check_throws(ErrorCode::bad_data, what, [&] { read_samples(Written(info, write), {4, 7}); });
}

}  // namespace

TEST_CASE("a source is asked for samples by number and writes them into the given spans") {
  const Written source(kTargets, [](const BatchRequest& request) {
    for (std::size_t i = 0; i < request.samples.size(); ++i) {
      const auto number = static_cast<float>(request.samples[i]);
      for (std::size_t j = 0; j < 2; ++j) request.values[2 * i + j] = 10 * number + static_cast<float>(j);
      for (std::size_t j = 0; j < 2; ++j) request.targets[2 * i + j] = -number - static_cast<float>(j);
    }
  });
  const Samples read = read_samples(source, {8, 0, 8});
  CHECK(read.values == std::vector<float>{80, 81, 0, 1, 80, 81});
  CHECK(read.targets == std::vector<float>{-8, -9, 0, -1, -8, -9});
  CHECK(read.labels.empty());
}

TEST_CASE("values that a source does not write are zero, regardless of the previous content") {
  const Written source(kSourceClasses, [](const BatchRequest& request) {
    request.values[1] = 5;
    std::ranges::fill(request.labels, 0);
  });
  std::vector<float> values(4, 7);
  std::vector<std::int32_t> labels(2);
  const std::vector<std::int64_t> samples{1, 2};
  source.fill({.samples = samples, .values = values, .labels = labels, .targets = {}});
  CHECK(values == std::vector<float>{0, 5, 0, 0});
}

TEST_CASE("sizes with a product beyond 64 bits are refused") {
  const Written source({.num_samples = 64, .shape = {std::int64_t{1} << 58}, .num_classes = 2},
                       [](const BatchRequest& /*request*/) { FAIL("asked"); });
  const std::vector<std::int64_t> samples(64);
  std::vector<std::int32_t> labels(64);
  check_throws(ErrorCode::invalid_argument, "room for 0 values",
               [&] { source.fill({.samples = samples, .values = {}, .labels = labels, .targets = {}}); });
}

TEST_CASE("the error about wrong or missing labels and targets names the sample") {
  bad("label 3 of sample 7 is not in [0, 3)", kSourceClasses, [](const BatchRequest& request) {
    request.labels[0] = 2;
    request.labels[1] = 3;
  });
  bad("label -1 of sample 7", kSourceClasses, [](const BatchRequest& request) { request.labels[0] = 0; });
  bad("target inf of sample 7", kTargets, [](const BatchRequest& request) {
    request.targets[0] = request.targets[1] = request.targets[2] = 1;
    request.targets[3] = INFINITY;
  });
  bad("target nan of sample 4", kTargets, [](const BatchRequest& request) { request.targets[0] = 1; });
}

TEST_CASE("a request for samples out of range or with spans of the wrong size is refused") {
  const auto nothing = [](const BatchRequest&) { FAIL("asked"); };
  const Written classes(kSourceClasses, nothing);
  const Written targets(kTargets, nothing);
  std::vector<std::int64_t> samples{0};
  std::vector<float> two(2);
  std::vector<std::int32_t> label(1);
  const auto invalid = [](const std::string& what, const DataSource& source, const BatchRequest& request) {
    check_throws(ErrorCode::invalid_argument, what, [&] { source.fill(request); });
  };
  invalid("room for 0 values", classes, {.samples = samples, .values = {}, .labels = label, .targets = {}});
  invalid("room for 0 labels", classes, {.samples = samples, .values = two, .labels = {}, .targets = {}});
  invalid("room for 2 targets", classes, {.samples = samples, .values = two, .labels = label, .targets = two});
  invalid("room for 1 labels", targets, {.samples = samples, .values = two, .labels = label, .targets = two});
  invalid("room for 0 targets", targets, {.samples = samples, .values = two, .labels = {}, .targets = {}});
  for (const std::int64_t number : {-1, 9}) {
    samples[0] = number;
    invalid("no sample " + std::to_string(number) + "; the number of samples is 9", targets,
            {.samples = samples, .values = two, .labels = {}, .targets = two});
  }
  classes.fill({.samples = {}, .values = {}, .labels = {}, .targets = {}});  // no samples: the source is not asked
}

TEST_CASE("data info that describes no samples is refused") {
  const auto refused = [](const std::string& what, const DataInfo& info) {
    check_throws(ErrorCode::bad_data, what, [&] { Written(info, nullptr); });
  };
  refused("has no samples", {.num_samples = 0, .shape = {1}, .num_classes = 2});
  refused("has no samples", {.num_samples = -5, .shape = {1}, .num_classes = 2});
  refused("a length of -1", {.num_samples = 1, .shape = {2, -1}, .num_classes = 2});
  refused("either a class or targets", {.num_samples = 1, .shape = {1}, .num_classes = -1});
  refused("2 classes and 1 targets", {.num_samples = 1, .shape = {1}, .num_classes = 2, .num_targets = 1});
  refused("-2 classes", {.num_samples = 1, .shape = {1}, .num_classes = -2});
  refused("2 names for 3 classes", {.num_samples = 1, .shape = {1}, .num_classes = 3, .class_names = {"a", "b"}});
  refused("1 names for 2 values", {.num_samples = 1, .shape = {2}, .num_classes = 3, .value_names = {"a"}});
  refused("2 names for 1 targets", {.num_samples = 1, .shape = {2}, .num_targets = 1, .target_names = {"a", "b"}});
  refused("-2 targets", {.num_samples = 1, .shape = {1}, .num_targets = -2});
}

TEST_CASE("a test set must have the same shape, classes and targets as the training set") {
  const auto like = [](DataInfo info) { return std::make_shared<Written>(std::move(info), nullptr); };
  const auto refused = [&](const DataInfo& train, const DataInfo& test) {
    check_throws(ErrorCode::bad_data, "test set", [&] { dataset_batches({like(train), like(test)}, 1); });
  };
  refused(kSourceClasses, kTargets);
  refused(kSourceClasses, {.num_samples = 9, .shape = {3}, .num_classes = 3});
  refused(kSourceClasses, {.num_samples = 9, .shape = {2}, .num_classes = 4});
  refused(kTargets, {.num_samples = 9, .shape = {2}, .num_targets = 3});
  CHECK(dataset_batches({like(kSourceClasses), like({.num_samples = 1, .shape = {2}, .num_classes = 3})}, 1) !=
        nullptr);
}

TEST_CASE("an exception of a source propagates, and the next batch is complete") {
  bool fails = true;
  const auto source = std::make_shared<Written>(kSourceClasses, [&fails](const BatchRequest& request) {
    if (std::exchange(fails, false)) throw std::runtime_error("the disk is gone");
    std::ranges::fill(request.labels, 1);
  });
  const auto batches = dataset_batches({source, nullptr}, 0);
  const ShardStep at{.shard = 1, .num_shards = 2, .step = 0, .seed = 1};
  CHECK_THROWS_WITH_AS(batches->training_batch(at), "the disk is gone", std::runtime_error);
  const Batch batch = batches->training_batch(at);
  CHECK(batch.size == 4);
  CHECK(batch.labels[3] == 1);
  CHECK(std::vector(batch.numbers.begin(), batch.numbers.end()) == std::vector<std::int64_t>{1, 3, 5, 7});
}
