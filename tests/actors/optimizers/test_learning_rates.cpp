#include <doctest/doctest.h>

#include <limits>

#include "actors/test_models.hpp"
#include "models/files.hpp"
#include "support/captured_errors.hpp"
#include "support/errors.hpp"
#include "support/optimizers.hpp"

using namespace troupe;
using namespace troupe_test;
using troupe::testing::TemporaryFolder;

namespace {

constexpr std::size_t kRatesSize = 4097;
constexpr int kRatesShards = 4;

Options noise(Placement placement, int workers) {
  Options options = quiet_options(placement, workers);
  options.num_shards = kRatesShards;
  edit(options)->learning_rate = 0.5;
  options.config = std::to_string(kRatesSize);
  return options;
}

/// Computes the weights after steps with these learning rates, with plain loops.
std::vector<float> expected_by_rates(const std::vector<double>& rates) {
  NoiseModel model(kRatesSize);
  std::size_t updates = 0;
  const auto update = [&](std::size_t, float old, float mean, float, std::int64_t) {
    return old - static_cast<float>(rates.at(updates++ / kRatesSize)) * mean;
  };
  return plain_run(model, kRatesShards, static_cast<int>(rates.size()), 0, update);
}

}  // namespace

TEST_CASE("set_learning_rate applies from the next step on, for all workers and placements, and is reported") {
  for (const Placement placement : {Placement::in_process, Placement::processes})
    for (const Strategy strategy : {Strategy::sharded, Strategy::driver}) {
      CAPTURE(to_string(strategy));
      Options options = noise(placement, 3);
      options.gradients.strategy = strategy;
      edit(options)->schedule = {.kind = ScheduleKind::step, .step_size = 1, .gamma = 0.5};
      DistributedSGD sgd("noise", options);
      CHECK(sgd.step().learning_rate == 0.5);
      CHECK(sgd.step().learning_rate == 0.25);
      sgd.set_learning_rate(0.75);
      sgd.warmup();
      CHECK(sgd.step().learning_rate == 0.75);
      CHECK(sgd.step().learning_rate == 0.75);  // overrides the schedule
      sgd.set_learning_rate(0);
      CHECK(sgd.step().learning_rate == 0);
      CHECK((sgd.weights() == expected_by_rates({0.5, 0.25, 0.75, 0.75, 0})));
    }
}

TEST_CASE("learning_rate_at is called in the driver only") {
  for (const Placement placement : {Placement::in_process, Placement::processes}) {
    Options options = noise(placement, 2);
    std::vector<std::int64_t> asked;
    edit(options)->learning_rate_at = [&asked](std::int64_t step) {
      asked.push_back(step);
      return 1.0 / static_cast<double>(1 + step);
    };
    DistributedSGD sgd("noise", options);
    for (int step = 0; step < 3; ++step) CHECK(sgd.step().learning_rate == 1.0 / (1 + step));
    CHECK(asked == std::vector<std::int64_t>{0, 1, 2});
    CHECK((sgd.weights() == expected_by_rates({1, 1.0 / 2, 1.0 / 3})));
    sgd.set_learning_rate(0.125);
    CHECK(sgd.step().learning_rate == 0.125);
    CHECK(asked.size() == 3);
  }
}

TEST_CASE("a learning_rate_at that returns an invalid rate or throws changes nothing") {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  Options options = noise(Placement::in_process, 2);
  double rate = kNan;
  edit(options)->learning_rate_at = [&rate](std::int64_t step) {
    if (rate == 7) throw std::out_of_range("no rate for step " + std::to_string(step));
    return rate;
  };
  DistributedSGD sgd("noise", options);
  for (const double bad : {kNan, -1.0, std::numeric_limits<double>::infinity(), 1e39}) {
    rate = bad;
    CHECK(code_of([&] { sgd.step(); }) == ErrorCode::invalid_argument);
    CHECK(message_of([&] { sgd.step(); }).find("learning_rate(0) is ") != std::string::npos);
    CHECK(code_of([&] { sgd.set_learning_rate(bad); }) == ErrorCode::invalid_argument);
  }
  rate = 7;
  CHECK_THROWS_AS(sgd.step(), std::out_of_range);
  rate = 0.5;
  CHECK(sgd.step().step == 1);
  CHECK((sgd.weights() == expected_by_rates({0.5})));
}

TEST_CASE("the learning-rate factors of groups apply to a rate that is set") {
  Options options = noise(Placement::processes, 2);
  edit(options)->groups = {{.pattern = "*", .learning_rate_factor = 0.5}};
  DistributedSGD sgd("noise", options);
  sgd.set_learning_rate(0.25);
  CHECK(sgd.step().learning_rate == 0.25);
  CHECK((sgd.weights() == expected_by_rates({0.125})));
}

TEST_CASE("a checkpoint contains a learning rate that was set, and resumed runs use it") {
  const TemporaryFolder folder;
  Options options = noise(Placement::in_process, 2);
  options.checkpoint.folder = folder / "run";
  options.checkpoint.every_steps = 2;
  {
    DistributedSGD sgd("noise", options);
    sgd.step();
    sgd.save_state(folder / "unset");
    sgd.set_learning_rate(0.1);
    sgd.step();
    sgd.step();
    sgd.save_state(folder / "set");
    CHECK((sgd.weights() == expected_by_rates({0.5, 0.1, 0.1})));
    sgd.load_state(folder / "unset");
    CHECK(sgd.step().learning_rate == 0.5);  // the rate of the options
    sgd.load_state(folder / "set");
    CHECK(sgd.step().learning_rate == 0.1);
    CHECK((sgd.weights() == expected_by_rates({0.5, 0.1, 0.1, 0.1})));
    sgd.checkpoint();
  }
  options.checkpoint.resume = true;
  edit(options)->learning_rate_at = [](std::int64_t) { return 0.25; };
  const CapturedErrors errors;
  DistributedSGD resumed("noise", options);
  CHECK(errors.text().find("troupe: the run continues with learning rate 0.1, which was set by hand") == 0);
  CHECK(resumed.step().learning_rate == 0.1);
  CHECK((resumed.weights() == expected_by_rates({0.5, 0.1, 0.1, 0.1, 0.1})));
  resumed.load_state(folder / "unset");
  CHECK(resumed.step().learning_rate == 0.25);
}
