#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "models/aligned.hpp"
#include "models/supervised.hpp"

using namespace troupe;

namespace {

/// A model that records the batches it receives.
class BatchRecorder final : public SupervisedModel {
 public:
  BatchRecorder(TrainingData data, std::int64_t batch_size)
      : SupervisedModel(dataset_batches(std::move(data), batch_size)) {}

  struct Seen {
    const float* address;
    std::vector<float> values;
    std::vector<float> targets;
  };
  std::vector<Seen> seen;

 protected:
  ModelInfo prepare_weights(const ReplicaContext& /*context*/) override { return {.size = 1}; }

  double batch_gradient(const ShardStep& /*at*/, const Batch& batch, std::span<const float> /*weights*/,
                        std::span<float> gradient, std::int64_t& /*correct*/) override {
    gradient[0] = 1;
    note(batch);
    return 1;
  }
  EvaluationResult batch_evaluate(const ShardStep& /*at*/, const Batch& batch, std::span<const float> /*weights*/,
                                  SampleMetrics* /*metrics*/) override {
    note(batch);
    return {1, 2, batch.size};
  }

 private:
  void note(const Batch& batch) {
    CHECK(batch.labels.empty());
    CHECK(reinterpret_cast<std::uintptr_t>(batch.values.data()) % kAlignment == 0);
    CHECK(std::ssize(batch.targets) == batch.size);
    seen.push_back({batch.values.data(),
                    {batch.values.begin(), batch.values.end()},
                    {batch.targets.begin(), batch.targets.end()}});
  }
};

/// Returns samples {i} with targets -i.
std::shared_ptr<const Dataset> counting(int count) {
  std::vector<float> values;
  std::vector<float> targets;
  for (int i = 0; i < count; ++i) {
    values.push_back(static_cast<float>(i));
    targets.push_back(-values.back());
  }
  return std::make_shared<Dataset>(Dataset::targets({1}, std::move(values), std::move(targets)));
}

const std::vector<float> kSupervisedWeights{0};

}  // namespace

TEST_CASE("values and targets of a batch stay paired") {
  BatchRecorder model({counting(100), nullptr}, 8);
  std::vector<float> gradient(1);
  model.gradient({1, 2, 3, 1}, kSupervisedWeights, gradient);
  REQUIRE(model.seen.size() == 1);
  REQUIRE(model.seen[0].values.size() == 8);
  for (std::size_t i = 0; i < 8; ++i) CHECK(model.seen[0].targets[i] == -model.seen[0].values[i]);
}

TEST_CASE("a whole shard is gathered once and cached, for several shards") {
  BatchRecorder model({counting(5), nullptr}, 0);
  std::vector<float> gradient(1);
  for (const int shard : {0, 1, 2, 0, 1, 2}) model.gradient({shard, 3, 0, 1}, kSupervisedWeights, gradient);
  CHECK(model.seen[1].values == std::vector<float>{1, 4});
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(model.seen[i + 3].address == model.seen[i].address);
    CHECK(model.seen[i + 3].values == model.seen[i].values);
    CHECK(model.seen[i + 3].targets == model.seen[i].targets);
  }
}

TEST_CASE("a shard without samples at a step has a zero gradient and is not computed") {
  BatchRecorder model({counting(5), nullptr}, 1);
  std::vector<float> gradient{7};
  const BatchResult result = model.gradient({1, 2, 2, 1}, kSupervisedWeights, gradient);
  CHECK(result.samples == 0);
  CHECK(result.loss_sum == 0);
  CHECK(gradient[0] == 0);
  CHECK(model.seen.empty());
}

TEST_CASE("the test set is evaluated in batches of limited size") {
  const auto set = counting(2003);
  BatchRecorder model({set, set}, 1);
  const EvaluationResult result = model.evaluate({1, 2, 0, 1}, kSupervisedWeights);
  CHECK(result.samples == 1001);
  REQUIRE(model.seen.size() == 3);
  CHECK(result.correct == 6);
  CHECK(model.seen[0].values.size() == kEvaluationBatch);
  CHECK(model.seen[2].values == std::vector<float>{2001});
}
