#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <limits>
#include <memory>
#include <string>
#include <thread>

#include "actors/statistics_model.hpp"
#include "actors/test_models.hpp"
#include "support/errors.hpp"
#include "support/optimizers.hpp"

using namespace troupe;
using troupe_test::kSanitized;
using troupe_test::quiet_options;

namespace {

constexpr int kSameSteps = 5;
constexpr std::size_t kLong = 421'642;  ///< about the size of the CNN, in many chunks
constexpr double kSameRate = 0.05;
constexpr double kMomentum = 0.9;
constexpr std::size_t kMany = std::size_t{3} << 20;  ///< large enough that the threads of one worker share an update

/// A model with one gradient float that is too large for an update.
class SpikeModel final : public Model {
 public:
  explicit SpikeModel(std::size_t at) : at_(at) {}
  BatchResult gradient(const ShardStep& /*at*/, std::span<const float> /*weights*/,
                       std::span<float> gradient) override {
    std::ranges::fill(gradient, 0.0F);
    gradient[at_] = std::numeric_limits<float>::infinity();
    return {.loss_sum = 1, .samples = 1};
  }

 private:
  ModelInfo prepare(const ReplicaContext& /*context*/) override { return {.size = kMany}; }

  std::size_t at_;
};

/// Counts the calls, and the calls on another thread than the one that created the model.
class HomelyModel final : public Model {
 public:
  HomelyModel(std::atomic<int>& asked, std::atomic<int>& elsewhere) : asked_(asked), elsewhere_(elsewhere) {}
  BatchResult gradient(const ShardStep& /*at*/, std::span<const float> /*weights*/,
                       std::span<float> gradient) override {
    std::ranges::fill(gradient, 1.0F);
    return {.loss_sum = 1, .samples = 1};
  }
  void update_statistics(std::size_t /*begin*/, std::span<const float> mean, std::int64_t /*samples*/,
                         std::span<const float> /*statistics*/, std::span<float> updated) const override {
    ++asked_;
    elsewhere_ += std::this_thread::get_id() == home_ ? 0 : 1;
    std::ranges::copy(mean, updated.begin());
  }

 private:
  ModelInfo prepare(const ReplicaContext& /*context*/) override {
    return {.size = kMany + 4096, .learned_size = kMany};
  }

  std::atomic<int>& asked_;
  std::atomic<int>& elsewhere_;
  std::thread::id home_ = std::this_thread::get_id();
};

std::vector<float> run(Placement placement, Strategy strategy, int workers, int devices, int shards, std::size_t size) {
  Options options = quiet_options(placement, workers);
  options.compute.devices_per_worker = devices;
  options.gradients.strategy = strategy;
  options.num_shards = shards;
  edit(options)->learning_rate = kSameRate;
  edit(options)->momentum = kMomentum;
  options.config = std::to_string(size);
  DistributedSGD sgd("noise", options);
  for (int step = 0; step < kSameSteps; ++step) sgd.step();
  return sgd.weights();
}

}  // namespace

TEST_CASE("for the same shards, results are bitwise identical for any number of workers, placement and strategy") {
  for (const int shards : {4, 5, 7, 12})
    for (const std::size_t size : {std::size_t{1}, std::size_t{7}, std::size_t{4097}, kLong}) {
      if (size == kLong && shards < 7) continue;  // this size takes as long as the others together
      const auto expected = troupe_test::plain_noise_run(size, shards, kSameSteps, kSameRate, kMomentum);
      for (const Placement placement : {Placement::in_process, Placement::processes})
        for (const Strategy strategy : {Strategy::sharded, Strategy::driver})
          for (int workers = 1; workers <= 4; ++workers) {
            if (kSanitized && placement == Placement::processes && (size != 4097 || workers % 2 == 0)) continue;
            CAPTURE(shards);
            CAPTURE(size);
            CAPTURE(static_cast<int>(placement));
            CAPTURE(to_string(strategy));
            CAPTURE(workers);
            REQUIRE(run(placement, strategy, workers, 1, shards, size) == expected);
          }
    }
}

TEST_CASE("results are bitwise identical with several devices per worker") {
  const auto expected = troupe_test::plain_noise_run(4097, 7, kSameSteps, kSameRate, kMomentum);
  for (const Placement placement : {Placement::in_process, Placement::processes})
    for (const int devices : {2, 3}) CHECK(run(placement, Strategy::sharded, 2, devices, 7, 4097) == expected);
}

TEST_CASE("a worker with spare cores applies its slice in parts, with bitwise identical results") {
  const auto expected = troupe_test::plain_noise_run(kMany, 4, kSameSteps, kSameRate, kMomentum);
  for (const Placement placement : {Placement::in_process, Placement::processes})
    for (const int workers : {1, 3}) CHECK(run(placement, Strategy::sharded, workers, 1, 4, kMany) == expected);

  Options options = quiet_options(Placement::in_process, 1);
  options.num_shards = 3;
  edit(options)->learning_rate = kSameRate;
  edit(options)->momentum = kMomentum;
  options.config = std::to_string(kMany) + ' ' + std::to_string(kMany + 4096);
  DistributedSGD sgd("statistics", options);
  for (int step = 0; step < kSameSteps; ++step) sgd.step();
  CHECK(sgd.weights() == troupe_test::plain_statistics_run(kMany, kMany + 4096, 3, kSameSteps, kSameRate, kMomentum));
}

TEST_CASE("the gradient norm includes all parts of a slice") {
  std::vector<double> norms;
  for (const int workers : {1, 4}) {  // with spare cores and without
    Options options = quiet_options(Placement::in_process, workers);
    options.num_shards = 4;
    options.gradients.clip_norm = 0.5;
    options.config = std::to_string(kMany);
    norms.push_back(DistributedSGD("noise", options).step().gradient_norm);
  }
  CHECK(norms[0] > 0);
  CHECK(norms[0] == norms[1]);
}

TEST_CASE("a float that is not finite is detected in every part of a slice") {
  for (const std::size_t at : {std::size_t{0}, kMany / 2 - 1, kMany / 2, kMany - 1}) {
    CAPTURE(at);
    const ModelCreator creator([at](const ReplicaContext& /*context*/) { return std::make_unique<SpikeModel>(at); });
    Options options = quiet_options(Placement::in_process, 1);
    options.num_shards = 1;
    DistributedSGD sgd(creator, options);
    CHECK(code_of([&] { sgd.step(); }) == ErrorCode::non_finite_weights);
  }
}

TEST_CASE("update_statistics is called on the model's own thread, for any division of the slice") {
  std::atomic<int> asked{0};
  std::atomic<int> elsewhere{0};
  const ModelCreator creator(
      [&](const ReplicaContext& /*context*/) { return std::make_unique<HomelyModel>(asked, elsewhere); });
  Options options = quiet_options(Placement::in_process, 1);
  options.num_shards = 1;
  DistributedSGD sgd(creator, options);
  sgd.step();
  CHECK(asked > 0);
  CHECK(elsewhere == 0);
}

TEST_CASE("loss, samples and copied bytes are reported") {
  for (const Strategy strategy : {Strategy::sharded, Strategy::driver}) {
    Options options = quiet_options(Placement::in_process, 2);
    options.gradients.strategy = strategy;
    options.num_shards = 4;
    options.config = "4097";
    DistributedSGD sgd("noise", options);
    troupe_test::NoiseModel model(4097);
    std::vector<float> gradient(4097);
    const auto weights = sgd.weights();
    double loss = 0;
    for (int shard = 0; shard < 4; ++shard) loss += model.gradient({shard, 4, 0, 1}, weights, gradient).loss_sum;
    const StepReport report = sgd.step();
    CHECK(report.step == 1);
    CHECK(report.samples == 1 + 2 + 3 + 1);
    CHECK(report.loss == doctest::Approx(loss / 7));
    CHECK(report.bytes_copied == (strategy == Strategy::driver ? 4097 * 4 : 0));
    CHECK(report.seconds.compute.size() == 2);
    CHECK(report.seconds.apply.size() == 2);
    CHECK(sgd.report().step == 1);
  }
}

TEST_CASE("a warm-up changes nothing") {
  Options options = quiet_options(Placement::in_process, 2);
  options.num_shards = 5;
  edit(options)->learning_rate = kSameRate;
  edit(options)->momentum = kMomentum;
  options.config = "7";
  DistributedSGD sgd("noise", options);
  sgd.warmup();
  for (int step = 0; step < kSameSteps; ++step) sgd.step();
  CHECK(sgd.weights() == troupe_test::plain_noise_run(7, 5, kSameSteps, kSameRate, kMomentum));
}
