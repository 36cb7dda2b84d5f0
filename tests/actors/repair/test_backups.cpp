#include <doctest/doctest.h>

#include <atomic>
#include <memory>

#include "actors/test_models.hpp"
#include "support/errors.hpp"
#include "support/gate.hpp"
#include "support/optimizers.hpp"
#include "support/patience.hpp"

using namespace troupe;
using namespace troupe_test;

namespace {

constexpr std::size_t kBackedUpSize = 12'288;
constexpr int kBackedUpShards = 7;

/// NoiseModel, but one worker blocks in the first step until the gate opens. It blocks in no later step, because
/// another worker may already be a straggler there on a busy machine, and only one straggler is allowed.
class HeldModel : public NoiseModel {
 public:
  HeldModel(int worker, std::shared_ptr<troupe_test::Gate> gate)
      : NoiseModel(kBackedUpSize), held_worker_(worker), gate_(std::move(gate)) {}

  BatchResult gradient(const ShardStep& at, std::span<const float> weights, std::span<float> gradient) override {
    CHECK(std::ranges::count(shards_, at.shard) == 1);
    if (worker_ == held_worker_ && at.step == 0) gate_->pass();
    return NoiseModel::gradient(at, weights, gradient);
  }

 protected:
  ModelInfo prepare(const ReplicaContext& context) override {
    worker_ = context.worker;
    shards_ = context.shards;
    return NoiseModel::prepare(context);
  }

 private:
  int held_worker_;
  std::shared_ptr<troupe_test::Gate> gate_;
  int worker_ = -1;
  std::vector<int> shards_;
};

Options backed_up(Placement placement, int workers) {
  Options options = quiet_options(placement, workers);
  options.num_shards = kBackedUpShards;
  options.fault_tolerance.backup_workers = 1;
  edit(options)->kind = "adam";
  options.config = std::to_string(kBackedUpSize);
  return options;
}

std::vector<float> undisturbed(Options options, std::int64_t steps) {
  options.fault_tolerance.backup_workers = 0;
  options.placement = Placement::in_process;
  options.fault_tolerance.faults = {};
  DistributedSGD sgd("noise", options);
  while (sgd.steps_done() < steps) sgd.step();
  return sgd.weights();
}

}  // namespace

TEST_CASE("steps continue without a straggler, and with it once it has replied, bitwise identical in both cases") {
  for (const Strategy strategy : {Strategy::sharded, Strategy::driver})
    for (const double clip_norm : {0.0, 1.0})
      for (const int late : {0, 1, 2}) {
        CAPTURE(to_string(strategy));
        CAPTURE(clip_norm);
        CAPTURE(late);
        Options options = backed_up(Placement::in_process, 3);
        options.gradients.strategy = strategy;
        options.gradients.clip_norm = clip_norm;
        options.compute.devices_per_worker = late == 0 ? 2 : 1;
        const auto gate = std::make_shared<troupe_test::Gate>();
        DistributedSGD sgd([=](const ReplicaContext&) { return std::make_unique<HeldModel>(late, gate); }, options);
        for (int step = 1; step <= 4; ++step) {
          const StepReport report = sgd.step();
          CHECK(report.left_out == std::vector{late});
          CHECK(report.slowest.worker == late);
          CHECK(report.pinned_bytes > 0);
        }
        CHECK(sgd.weights() == undisturbed(options, 4));
        gate->open();
        REQUIRE(comes_true([&] { return sgd.step().left_out.empty(); }));
        CHECK(sgd.weights() == undisturbed(options, sgd.steps_done()));
      }
}

TEST_CASE("calls on all workers wait for a straggler and find its state intact") {
  const Options options = backed_up(Placement::in_process, 2);
  const auto gate = std::make_shared<troupe_test::Gate>();
  DistributedSGD sgd([=](const ReplicaContext&) { return std::make_unique<HeldModel>(1, gate); }, options);
  for (int step = 0; step < 3; ++step) sgd.step();
  CHECK(sgd.report().left_out == std::vector{1});
  REQUIRE(gate->waiting() == 1);
  gate->open();
  CHECK(sgd.foreach_model([](Model&, auto weights) { return std::to_string(weights[0]); }).size() == 2);
  sgd.resize(1);
  CHECK(sgd.step().left_out.empty());
  sgd.resize(2);
  sgd.step();
  CHECK(sgd.weights() == undisturbed(options, 5));
}

TEST_CASE("a straggler that exceeds the step's timeout is replaced, and the step reports this" *
          doctest::test_suite("given up")) {
  Options options = backed_up(Placement::in_process, 3);
  options.timeouts.step = missed_by_none(options);
  options.fault_tolerance.max_failures = 5;
  const auto gate = std::make_shared<troupe_test::Gate>();
  const auto held = std::make_shared<std::atomic<bool>>(true);
  DistributedSGD sgd(
      [=](const ReplicaContext& at) {
        return std::make_unique<HeldModel>(at.worker == 0 && held->exchange(false) ? 0 : -1, gate);
      },
      options);
  std::vector<Repair> repairs;
  REQUIRE(comes_true([&] {
    repairs = sgd.step().repairs;
    if (repairs.empty()) CHECK(sgd.report().left_out == std::vector{0});
    return !repairs.empty();
  }));
  REQUIRE(repairs.size() == 1);
  CHECK(repairs[0].worker == 0);
  CHECK(repairs[0].what == "a worker was lost: it did not answer in time");
  CHECK(sgd.weights() == undisturbed(options, sgd.steps_done()));
  gate->open();
}

TEST_CASE("backup workers make up for processes that are slow or die") {
  Options options = backed_up(Placement::processes, 3);
  options.config = std::to_string(100 * kBackedUpSize);
  options.fault_tolerance.max_failures = 5;
  options.fault_tolerance.faults = {testing::SlowWorker{.worker = 2, .factor = 20, .step = 2},
                                    testing::KillWorker{.worker = 0, .step = 6},
                                    testing::KillWorker{.worker = 2, .step = 8, .phase = "apply"}};
  DistributedSGD sgd("noise", options);
  std::size_t left_out = 0;
  std::size_t repairs = 0;
  for (int step = 0; step < 12; ++step) {
    const StepReport report = sgd.step();
    left_out += report.left_out.size();
    repairs += report.repairs.size();
  }
  CHECK(left_out > 0);
  CHECK(repairs == 2);
  CHECK(sgd.weights() == undisturbed(options, 12));
}

TEST_CASE("invalid numbers of backup workers are refused") {
  const auto code = [](int backups, Placement placement) {
    Options options = backed_up(placement, 2);
    options.fault_tolerance.backup_workers = backups;
    return code_of([&] { DistributedSGD("noise", options); });
  };
  CHECK(code(-1, Placement::in_process) == ErrorCode::invalid_argument);
  CHECK(code(2, Placement::in_process) == ErrorCode::invalid_argument);
  CHECK(code(9, Placement::in_process) == ErrorCode::invalid_argument);
  CHECK(code(1, Placement::cluster) == ErrorCode::unsupported);
}
