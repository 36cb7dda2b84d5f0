#include "actors/state/state_trial.hpp"

#include <doctest/doctest.h>

#include <sstream>

#include "actors/spoiled_model.hpp"
#include "actors/test_models.hpp"
#include "models/files.hpp"
#include "support/optimizers.hpp"
#include "troupe/models.hpp"

using namespace troupe;

namespace troupe_test {
namespace {

constexpr int kClasses = 3;

TrainingData make_data(std::int64_t samples, std::int64_t floats) {
  std::vector<float> values;
  std::vector<std::int32_t> labels;
  for (std::int64_t i = 0; i < samples * floats; ++i) values.push_back(noise(1, 2, static_cast<std::uint64_t>(i)));
  for (std::int64_t i = 0; i < samples; ++i) labels.push_back(static_cast<std::int32_t>(i % kClasses));
  return {std::make_shared<const Dataset>(Dataset::classes({floats}, std::move(values), std::move(labels), kClasses)),
          nullptr};
}

/// Returns all vectors of the committed version, or of a pinned one.
std::vector<std::vector<float>> vectors_of(Driver& driver, Versions::PinId pin) {
  const int state = UpdateRules(settings_of(driver.run().options)).state_vectors();
  std::vector<std::vector<float>> vectors(static_cast<std::size_t>(1 + state));
  for (int vector = 0; vector <= state; ++vector)
    driver.state().read_pinned(
        pin, vector,
        [&](std::span<const float> floats) {
          vectors[static_cast<std::size_t>(vector)].assign(floats.begin(), floats.end());
        },
        "test");
  return vectors;
}

std::vector<std::vector<float>> vectors_of(Driver& driver) {
  const auto pin = driver.state().pin();
  auto vectors = vectors_of(driver, pin);
  driver.state().unpin(pin);
  return vectors;
}

}  // namespace

const TrialModel kBatches{"batches", "61 6"};
const TrialModel kStatistics{"spoiled", Spoil{}.text()};

void register_batches_model() {
  register_model("batches", [](const ReplicaContext& context) {
    std::istringstream config(context.config);
    std::int64_t samples = 0;
    std::int64_t floats = 0;
    config >> samples >> floats;
    return models::softmax_regression(make_data(samples, floats), 2);
  });
}

void make_trial(Options& options, const TrialModel& model, const std::string& optimizer) {
  options.verbose = false;
  options.num_shards = kTrialShards;
  options.seed = 5;
  options.config = model.config;
  edit(options)->kind = optimizer;
  edit(options)->learning_rate = 0.05;
  edit(options)->momentum = optimizer == "sgd" ? 0.9 : 0;
  edit(options)->weight_decay = 0.01;
  edit(options)->schedule.kind = ScheduleKind::cosine;
  edit(options)->schedule.warmup_steps = 2;
  edit(options)->schedule.total_steps = 9;
}

Options dealt(const Deal& deal, const TrialModel& model, const std::string& optimizer) {
  Options options = quiet_options(deal.placement, deal.workers);
  make_trial(options, model, optimizer);
  options.compute.devices_per_worker = deal.devices;
  options.gradients.strategy = deal.strategy;
  return options;
}

Outcome go_on(DistributedSGD& sgd, int steps, const std::string& path) {
  Outcome outcome;
  for (int step = 0; step < steps; ++step) outcome.losses.push_back(sgd.step().loss);
  outcome.weights = sgd.weights();
  sgd.save_state(path);
  outcome.weights_file = troupe::testing::read_file(path + "/weights.safetensors");
  outcome.state_file = troupe::testing::read_file(path + "/state.safetensors");
  return outcome;
}

void check_same_end(const Outcome& part, const Outcome& whole) {
  REQUIRE(part.losses.size() <= whole.losses.size());
  CHECK(std::equal(part.losses.rbegin(), part.losses.rend(), whole.losses.rbegin()));
  CHECK(part.weights == whole.weights);
  CHECK_FALSE(part.weights_file.empty());
  CHECK((part.weights_file == whole.weights_file));  // too long to be printed
  CHECK_FALSE(part.state_file.empty());
  CHECK((part.state_file == whole.state_file));
}

void check_pinning(Driver& driver, Driver& again, const std::function<void(Driver&)>& disturb) {
  for (int step = 0; step < 2; ++step) again.step();
  const auto expected = vectors_of(again);
  for (int step = 0; step < 3; ++step) again.step();

  driver.step();
  const std::int64_t two_buffers = driver.step().state_bytes;
  const auto pin = driver.state().pin();
  CHECK((vectors_of(driver, pin) == expected));
  const StepReport first = driver.step();  // into the spare buffer
  CHECK(first.state_bytes == two_buffers);
  CHECK(first.pinned_bytes == two_buffers / 2);
  disturb(driver);
  CHECK((vectors_of(driver, pin) == expected));
  for (int step = 0; step < 2; ++step) {
    const StepReport report = driver.step();
    CHECK(report.state_bytes == two_buffers / 2 * 3);
    CHECK(report.pinned_bytes == two_buffers / 2);
  }
  CHECK((vectors_of(driver, pin) == expected));
  CHECK((vectors_of(driver) == vectors_of(again)));
  driver.state().unpin(pin);
  CHECK(driver.step().pinned_bytes == 0);
  again.step();
  CHECK((vectors_of(driver) == vectors_of(again)));
}

}  // namespace troupe_test
