#include <doctest/doctest.h>

#include <filesystem>
#include <string>

#include "actors/test_models.hpp"
#include "models/files.hpp"
#include "support/optimizers.hpp"

using namespace troupe;
using troupe_test::kSanitized;
using troupe_test::quiet_options;

namespace {

constexpr int kShards = 4;

/// Options for ResNet-18 with 16 fixed images. Each shard takes its part of the images as one batch: four images, just
/// enough for Winograd in the first stage.
Options resnet_options(Placement placement, int workers) {
  Options options = quiet_options(placement, workers);
  options.num_shards = kShards;
  edit(options)->learning_rate = 0.02;
  options.config = R"({"batch_size": 0, "data": "mock-images:32,10,16"})";
  return options;
}

std::vector<float> trained(const Options& options, int steps) {
  DistributedSGD sgd("resnet18", options);
  for (int step = 0; step < steps; ++step) sgd.step();
  return sgd.weights();
}

}  // namespace

TEST_CASE("a ResNet is bitwise identical for any number of workers, including its running statistics") {
  constexpr int kSteps = 2;
  for (const Precision precision : {Precision::f32, Precision::bf16}) {
    Options options = resnet_options(Placement::in_process, 1);
    options.compute.precision = precision;
    options.compute.precision_check = false;
    const std::vector<float> expected = trained(options, kSteps);
    for (const Placement placement : {Placement::in_process, Placement::processes})
      for (const Strategy strategy : {Strategy::sharded, Strategy::driver})
        for (const auto& size : {std::pair{1, 2}, {2, 2}, {3, 1}}) {
          const int workers = size.first;
          if (kSanitized && (workers == 3 || placement == Placement::processes)) continue;
          const bool all_sizes = precision == Precision::f32 && strategy == Strategy::sharded;
          if (!all_sizes && workers != 2) continue;
          if (precision == Precision::bf16 && strategy == Strategy::driver) continue;  // its sums are tested in f32
          CAPTURE(static_cast<int>(placement));
          CAPTURE(to_string(strategy));
          CAPTURE(workers);
          options.placement = placement;
          options.gradients.strategy = strategy;
          options.num_workers = workers;
          options.compute.devices_per_worker = size.second;
          CHECK(trained(options, kSteps) == expected);
        }
  }
}

TEST_CASE("a ResNet resumed from a file is bitwise identical to one without interruption") {
  const Options options = resnet_options(Placement::in_process, 2);
  const auto path = std::filesystem::temp_directory_path() / ("troupe-resnet-" + std::to_string(getpid()));
  {
    DistributedSGD first("resnet18", options);
    for (int step = 0; step < 2; ++step) first.step();
    first.save(path);
  }
  DistributedSGD second("resnet18", options);
  second.load(path);
  std::filesystem::remove(path);
  second.step();
  CHECK(second.weights() == trained(options, 3));
}

TEST_CASE("a ResNet's checkpoint is written in parts, and equals the result of save_state") {
  const troupe::testing::TemporaryFolder folder;
  Options options = resnet_options(Placement::processes, 2);
  edit(options)->momentum = 0.9;
  options.checkpoint = {.folder = folder / "run", .every_steps = 1};
  {
    DistributedSGD sgd("resnet18", options);
    sgd.step();
    CHECK(sgd.report().checkpoint.writing);
    sgd.save_state(folder / "state");
    sgd.step();
    CHECK(sgd.report().checkpoint.writing);
    CHECK(sgd.report().checkpoint.skipped == 1);
  }
  for (const std::string file : {"/weights.safetensors", "/state.safetensors"})
    CHECK((troupe::testing::read_file(folder / ("run/step-00000001" + file)) ==
           troupe::testing::read_file(folder / ("state" + file))));
}
