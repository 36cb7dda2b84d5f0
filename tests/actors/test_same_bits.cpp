#include <doctest/doctest.h>

#include <string>

#include "actors/statistics_model.hpp"
#include "actors/test_models.hpp"
#include "support/errors.hpp"

using namespace troupe;
using troupe_test::kSanitized;
using troupe_test::quiet_options;

namespace {

constexpr int kSameSteps = 5;
constexpr double kSameRate = 0.05;
constexpr double kMomentum = 0.9;

std::vector<float> run(Placement placement, Strategy strategy, int workers, int devices, int shards, std::size_t size) {
  Options options = quiet_options(placement, workers);
  options.devices_per_worker = devices;
  options.strategy = strategy;
  options.num_shards = shards;
  options.optimizer.learning_rate = kSameRate;
  options.optimizer.momentum = kMomentum;
  options.config = std::to_string(size);
  DistributedSGD sgd("noise", options);
  for (int step = 0; step < kSameSteps; ++step) sgd.step();
  return sgd.weights();
}

}  // namespace

TEST_CASE("the same bits for any number of workers, placement and strategy, for the same shards") {
  for (const int shards : {4, 5, 7, 12})
    for (const std::size_t size : {std::size_t{1}, std::size_t{7}, std::size_t{4097}, std::size_t{421'642}}) {
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

TEST_CASE("the same bits with several devices a worker") {
  const auto expected = troupe_test::plain_noise_run(4097, 7, kSameSteps, kSameRate, kMomentum);
  for (const Placement placement : {Placement::in_process, Placement::processes})
    for (const int devices : {2, 3}) CHECK(run(placement, Strategy::sharded, 2, devices, 7, 4097) == expected);
}

TEST_CASE("a worker that has cores to spare applies its slice in parts, to the same bits") {
  constexpr std::size_t kMany = std::size_t{3} << 20;
  const auto expected = troupe_test::plain_noise_run(kMany, 4, kSameSteps, kSameRate, kMomentum);
  for (const Placement placement : {Placement::in_process, Placement::processes})
    for (const int workers : {1, 3}) CHECK(run(placement, Strategy::sharded, workers, 1, 4, kMany) == expected);

  Options options = quiet_options(Placement::in_process, 1);
  options.num_shards = 3;
  options.optimizer.learning_rate = kSameRate;
  options.optimizer.momentum = kMomentum;
  options.config = std::to_string(kMany) + ' ' + std::to_string(kMany + 4096);
  DistributedSGD sgd("statistics", options);
  for (int step = 0; step < kSameSteps; ++step) sgd.step();
  CHECK(sgd.weights() == troupe_test::plain_statistics_run(kMany, kMany + 4096, 3, kSameSteps, kSameRate, kMomentum));
}

TEST_CASE("the length of a gradient, and what is not finite, are found in all parts of a slice") {
  constexpr std::size_t kMany = std::size_t{3} << 20;
  std::vector<double> norms;
  for (const int workers : {1, 4}) {  // cores to spare, and none
    Options options = quiet_options(Placement::in_process, workers);
    options.num_shards = 4;
    options.optimizer.clip_norm = 0.5;
    options.config = std::to_string(kMany);
    {
      DistributedSGD sgd("noise", options);
      norms.push_back(sgd.step().gradient_norm);
    }
    options.optimizer.clip_norm = 0;
    options.optimizer.learning_rate = 1e38;
    DistributedSGD sgd("noise", options);
    CHECK(code_of([&] {
            for (int step = 0; step < 3; ++step) sgd.step();
          }) == ErrorCode::non_finite_weights);
  }
  CHECK(norms[0] > 0);
  CHECK(norms[0] == norms[1]);
}

TEST_CASE("loss, samples and copied bytes are reported") {
  for (const Strategy strategy : {Strategy::sharded, Strategy::driver}) {
    Options options = quiet_options(Placement::in_process, 2);
    options.strategy = strategy;
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
  options.optimizer.learning_rate = kSameRate;
  options.optimizer.momentum = kMomentum;
  options.config = "7";
  DistributedSGD sgd("noise", options);
  sgd.warmup();
  for (int step = 0; step < kSameSteps; ++step) sgd.step();
  CHECK(sgd.weights() == troupe_test::plain_noise_run(7, 5, kSameSteps, kSameRate, kMomentum));
}
