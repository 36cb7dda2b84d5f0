#include <doctest/doctest.h>
#include <signal.h>
#include <unistd.h>

#include <filesystem>

#include "actors/statistics_model.hpp"
#include "actors/test_models.hpp"
#include "support/errors.hpp"
#include "support/optimizers.hpp"

using namespace troupe;
using troupe_test::kPlacements;
using troupe_test::quiet_options;
using troupe_test::StatisticsModel;

namespace {

constexpr int kStatisticsShards = 5;
constexpr int kStatisticsSteps = 4;
constexpr double kStatisticsRate = 0.05;

/// Numbers of learned floats and of all floats. The border is within a page, within one of several chunks, and at a
/// page boundary. The last end is not at a page boundary.
constexpr std::pair<std::size_t, std::size_t> kSizes[] = {
    {32, 160}, {1'504, 6'112}, {4'096, 4'096 + 4'096}, {96, 3'001}};

Options statistics_options(Placement placement, int workers, std::size_t learned, std::size_t size) {
  Options options = quiet_options(placement, workers);
  options.num_shards = kStatisticsShards;
  edit(options)->learning_rate = kStatisticsRate;
  options.config = std::to_string(learned) + " " + std::to_string(size);
  return options;
}

std::vector<float> train(const Options& options) {
  DistributedSGD sgd("statistics", options);
  for (int step = 0; step < kStatisticsSteps; ++step) sgd.step();
  return sgd.weights();
}

}  // namespace

TEST_CASE("statistics of a model are bitwise identical for any distribution of work") {
  for (const auto& sizes : kSizes) {
    const auto learned = sizes.first;
    const auto size = sizes.second;
    const auto expected =
        troupe_test::plain_statistics_run(learned, size, kStatisticsShards, kStatisticsSteps, kStatisticsRate, 0.9);
    for (const Placement placement : kPlacements)
      for (const Strategy strategy : {Strategy::sharded, Strategy::driver})
        for (const auto& deal : {std::pair{1, 1}, {2, 1}, {4, 1}, {1, 2}, {2, 2}}) {
          const int workers = deal.first;
          const int devices = deal.second;
          const bool processes = placement == Placement::processes;
          if (troupe_test::kSanitized && processes && (size != 6'112 || devices == 1)) continue;
          Options options = statistics_options(placement, workers, learned, size);
          options.compute.devices_per_worker = devices;
          options.gradients.strategy = strategy;
          edit(options)->momentum = 0.9;
          CAPTURE(size);
          CAPTURE(static_cast<int>(placement));
          CAPTURE(to_string(strategy));
          CAPTURE(workers);
          CAPTURE(devices);
          REQUIRE(train(options) == expected);
        }
  }
}

TEST_CASE("no optimizer changes statistics") {
  const auto [learned, size] = kSizes[1];
  const auto expected =
      troupe_test::plain_statistics_run(learned, size, kStatisticsShards, kStatisticsSteps, kStatisticsRate, 0);
  for (const char* kind : {"sgd", "adagrad", "adam"}) {
    Options options = statistics_options(Placement::in_process, 2, learned, size);
    edit(options)->kind = kind;
    edit(options)->weight_decay = 0.1;
    const auto weights = train(options);
    const auto border = static_cast<std::ptrdiff_t>(learned);
    CHECK(std::equal(weights.begin() + border, weights.end(), expected.begin() + border));
    CHECK_FALSE(std::equal(weights.begin(), weights.begin() + border, expected.begin()));
  }
}

TEST_CASE("statistics survive the loss of a worker, and saving and loading") {
  const auto [learned, size] = kSizes[1];
  const auto expected =
      troupe_test::plain_statistics_run(learned, size, kStatisticsShards, kStatisticsSteps, kStatisticsRate, 0);
  for (const Strategy strategy : {Strategy::sharded, Strategy::driver}) {
    Options options = statistics_options(Placement::processes, 2, learned, size);
    options.gradients.strategy = strategy;
    DistributedSGD sgd("statistics", options);
    sgd.step();
    sgd.step();
    ::kill(sgd.worker_pids()[1], SIGKILL);
    CHECK(code_of([&] { sgd.step(); }) == ErrorCode::worker_lost);
    sgd.step();
    sgd.step();
    CHECK(sgd.weights() == expected);
  }
  const std::string path = std::filesystem::temp_directory_path() / ("statistics-" + std::to_string(::getpid()));
  DistributedSGD first("statistics", statistics_options(Placement::in_process, 2, learned, size));
  first.step();
  first.step();
  first.save(path);
  DistributedSGD second("statistics", statistics_options(Placement::processes, 1, learned, size));
  second.warmup();
  second.load(path);
  CHECK(second.weights() == first.weights());
  second.step();
  second.step();
  CHECK(second.weights() == expected);
  std::filesystem::remove(path);
}

TEST_CASE("an exception of update_statistics fails the step, and nothing changes") {
  struct Forgetful : StatisticsModel {
    using StatisticsModel::StatisticsModel;
    void update_statistics(std::size_t begin, std::span<const float> mean, std::int64_t samples,
                           std::span<const float> statistics, std::span<float> updated) const override {
      Model::update_statistics(begin, mean, samples, statistics, updated);
    }
  };
  struct Throwing : StatisticsModel {
    using StatisticsModel::StatisticsModel;
    void update_statistics(std::size_t, std::span<const float>, std::int64_t, std::span<const float>,
                           std::span<float>) const override {
      throw std::runtime_error("no such luck");
    }
  };
  const Options options = quiet_options(Placement::in_process, 1);
  DistributedSGD forgetful([](int, int) { return std::make_unique<Forgetful>(32, 64); }, options);
  DistributedSGD throwing([](int, int) { return std::make_unique<Throwing>(32, 64); }, options);
  for (DistributedSGD* sgd : {&forgetful, &throwing}) {
    const auto step = [&] { sgd->step(); };
    CHECK(code_of(step) == ErrorCode::model_failed);
    CHECK(where_of(step).phase == "apply");
    CHECK(sgd->weights() == std::vector<float>(64));
  }
}

TEST_CASE("learned_size is checked, and must be the same for all replicas") {
  for (const char* sizes : {"33 100", "128 100", "31 64"}) {
    Options options = quiet_options(Placement::in_process, 1);
    options.config = sizes;
    CHECK(code_of([&] { DistributedSGD("statistics", options); }) == ErrorCode::model_failed);
    CHECK(message_of([&] { DistributedSGD("statistics", options); }).find("learned_size") != std::string::npos);
  }
  const auto start = [] {
    DistributedSGD([](int worker, int) { return std::make_unique<StatisticsModel>(worker == 1 ? 32 : 64, 128); },
                   quiet_options(Placement::in_process, 2));
  };
  CHECK(code_of(start) == ErrorCode::model_mismatch);
  CHECK(where_of(start).worker == 1);
}
