#include <doctest/doctest.h>
#include <signal.h>

#include <set>

#include "actors/repair/dying_model.hpp"
#include "actors/test_models.hpp"
#include "runtime/hash.hpp"
#include "support/errors.hpp"
#include "support/open_files.hpp"
#include "support/optimizers.hpp"
#include "support/temporary_folder.hpp"

using namespace troupe;
using namespace troupe_test;

namespace {

constexpr std::size_t kRepairedSize = 12'288;
constexpr int kRepairedSteps = 6;

/// Three workers with five shards in processes, and an optimizer with state.
Options dying(const std::vector<Death>& deaths, const std::string& folder) {
  Options options = quiet_options(Placement::processes, 3);
  options.num_shards = 5;
  options.fault_tolerance.max_failures = 1000;
  edit(options)->kind = "adam";
  options.config = dying_config(kRepairedSize, deaths, folder);
  return options;
}

std::vector<float> undisturbed_run(Options options) {
  options.config = dying_config(kRepairedSize, {}, "");
  options.placement = Placement::in_process;
  DistributedSGD sgd("dying", options);
  for (int step = 0; step < kRepairedSteps; ++step) sgd.step();
  return sgd.weights();
}

}  // namespace

TEST_CASE("a worker that dies in any phase is replaced within the step, and results stay bitwise identical") {
  const std::vector<Death> deaths{{"compute", 0, 1}, {"compute", 1, 1}, {"compute", 2, 3},
                                  {"apply", 2, 2},   {"apply", 1, 3},   {"start", 2, 0}};
  for (const Strategy strategy : {Strategy::sharded, Strategy::driver}) {
    CAPTURE(to_string(strategy));
    const TemporaryFolder marks;
    Options options = dying(deaths, marks.path());
    options.gradients.strategy = strategy;
    const auto expected = undisturbed_run(options);
    DistributedSGD sgd("dying", options);
    std::vector<Repair> repairs;
    for (int step = 1; step <= kRepairedSteps; ++step) {
      const StepReport report = sgd.step();
      CHECK(report.step == step);
      repairs.insert(repairs.end(), report.repairs.begin(), report.repairs.end());
    }
    CHECK(sgd.weights() == expected);
    REQUIRE(repairs.size() >= deaths.size() - 1);  // two deaths at the same time may count as one repair
    REQUIRE(repairs.size() <= deaths.size());
    std::set<std::string> phases;
    for (const Repair& repair : repairs) {
      phases.insert(repair.phase);
      CHECK(repair.node.starts_with("pid "));
      CHECK(repair.what.find("signal 9") != std::string::npos);
      CHECK(repair.worker >= 0);
      CHECK(repair.seconds > 0);
    }
    CHECK(phases == std::set<std::string>{"apply", "compute", "start"});
  }
}

TEST_CASE("after a loss, other workers repeat a gradient only if the mean has replaced it") {
  for (const double clip_norm : {0.0, 1.0}) {
    CAPTURE(clip_norm);
    const TemporaryFolder marks;
    Options options = dying({{"compute", 2, 1}, {"apply", 2, 3}}, marks.path());
    options.gradients.clip_norm = clip_norm;
    const auto expected = undisturbed_run(options);
    DistributedSGD sgd("dying", options);
    std::size_t repairs = 0;
    for (int step = 0; step < kRepairedSteps; ++step) repairs += sgd.step().repairs.size();
    CHECK(repairs == 2);
    const int again = clip_norm > 0 ? 1 : 0;
    const auto gradients = sgd.foreach_model("gradients so far");  // the first worker has one shard, the others two
    REQUIRE(gradients.size() == 3);
    CHECK(gradients[0] == std::to_string(kRepairedSteps + again));
    CHECK(gradients[1] == std::to_string(2 * (kRepairedSteps + again)));
    CHECK(gradients[2] == std::to_string(2 * (kRepairedSteps - 3)));  // since its last replacement
    CHECK(sgd.weights() == expected);
  }
}

TEST_CASE("a worker killed between steps is replaced by the next step, which reports the repair") {
  const TemporaryFolder marks;
  DistributedSGD sgd("dying", dying({}, marks.path()));
  CHECK(sgd.step().repairs.empty());
  const auto pids = sgd.worker_pids();
  ::kill(pids[1], SIGKILL);
  ::kill(pids[2], SIGKILL);
  CHECK(sgd.step().step == 2);
  CHECK_FALSE(sgd.report().repairs.empty());
  CHECK(sgd.worker_pids()[0] == pids[0]);
  CHECK(sgd.worker_pids()[1] != pids[1]);
  CHECK(sgd.step().repairs.empty());
  for (int step = 4; step <= kRepairedSteps; ++step) sgd.step();
  CHECK(sgd.weights() == undisturbed_run(dying({}, "")));
}

TEST_CASE("an evaluation survives the loss of a worker, and the next step reports the repair") {
  const TemporaryFolder marks;
  DistributedSGD sgd("dying", dying({{"evaluate", 1, 2}}, marks.path()));
  sgd.step();
  sgd.step();
  const Evaluation test = sgd.evaluate();
  CHECK(test.samples == 50);
  const StepReport report = sgd.step();
  REQUIRE(report.repairs.size() == 1);
  CHECK(report.repairs[0].phase == "evaluate");
  CHECK(report.repairs[0].worker == 1);
}

TEST_CASE("when the budget is spent, the error lists earlier losses, and the next call tries again") {
  Options options = quiet_options(Placement::processes, 2);
  options.config = "kill";  // in every third step
  options.fault_tolerance.max_failures = 2;
  DistributedSGD sgd("faulty", options);
  sgd.step();
  sgd.step();
  const auto step = [&] { sgd.step(); };
  const std::string message = message_of(step);
  CHECK(message.find("this is loss 3 within an hour, more than max_failures = 2; earlier losses: ") !=
        std::string::npos);
  CHECK(message.find("worker 1, node pid ", message.find("earlier losses")) != std::string::npos);
  CHECK(code_of(step) == ErrorCode::worker_lost);
  CHECK(where_of(step).phase == "compute");
}

TEST_CASE("an exception of a model is an error without a retry") {
  Options options = quiet_options(Placement::processes, 2);
  options.config = "throw";
  options.fault_tolerance.max_failures = 5;
  DistributedSGD sgd("faulty", options);
  sgd.step();
  sgd.step();
  CHECK(code_of([&] { sgd.step(); }) == ErrorCode::model_failed);
}

TEST_CASE("repairs leak no resources") {
  const TemporaryFolder marks;
  std::vector<Death> deaths;
  for (int step = 2; step < kRepairedSteps; ++step)
    for (int worker = 0; worker < 3; ++worker) deaths.push_back({step % 2 == 0 ? "compute" : "apply", worker, step});
  DistributedSGD sgd("dying", dying(deaths, marks.path()));
  sgd.step();
  sgd.step();
  const auto files = open_files();
  for (int step = 2; step < kRepairedSteps; ++step) sgd.step();
  CHECK(open_files() == files);
}

TEST_CASE("many random kills in every phase do not change the results") {
  constexpr int kMany = 60;
  Options options = dying({}, "");
  const auto run = [&](const std::vector<testing::Fault>& faults) {
    options.fault_tolerance.faults = faults;
    DistributedSGD sgd("dying", options);
    std::vector<std::uint64_t> hashes;
    std::size_t repairs = 0;
    for (int step = 0; step < kMany; ++step) {
      repairs += sgd.step().repairs.size();
      sgd.read_weights([&](std::span<const float> weights) { hashes.push_back(checksum(std::as_bytes(weights))); });
    }
    return std::pair(hashes, repairs);
  };
  const auto [expected, none] = run({});
  const auto [hashes, repairs] = run({testing::RandomKills{.count = 40, .first_step = 2, .last_step = 60, .seed = 3}});
  CHECK(none == 0);
  CHECK(repairs >= 20);
  CHECK(hashes == expected);
}

TEST_CASE("faults of workers need worker processes") {
  Options options = quiet_options(Placement::in_process, 2);
  options.fault_tolerance.faults = {testing::KillWorker{.worker = 1, .step = 2}};
  CHECK(code_of([&] { DistributedSGD("noise", options); }) == ErrorCode::invalid_argument);
}
