#include <doctest/doctest.h>
#include <sched.h>
#include <signal.h>

#include <atomic>
#include <filesystem>
#include <thread>

#include "actors/repair/dying_model.hpp"
#include "actors/state/state_trial.hpp"
#include "actors/test_models.hpp"
#include "runtime/random.hpp"
#include "support/errors.hpp"
#include "support/few_files.hpp"
#include "support/open_files.hpp"
#include "support/optimizers.hpp"
#include "support/patience.hpp"
#include "support/temporary_folder.hpp"

using namespace troupe;
using namespace troupe_test;

namespace {

constexpr int kElasticShards = 8;

Options elastic(Placement placement, WorkerCount workers) {
  Options options = quiet_options(placement, 1);
  options.num_workers = workers;
  options.num_shards = kElasticShards;
  edit(options)->kind = "adam";
  options.config = "8192";
  return options;
}

/// Returns the weights after each step. Before each step, resizes to the number of workers that `workers_at` returns.
template <class WorkersAt>
std::vector<std::vector<float>> lineage(DistributedSGD& sgd, int steps, const WorkersAt& workers_at) {
  std::vector<std::vector<float>> weights;
  for (int step = 0; step < steps; ++step) {
    if (const int workers = workers_at(step); workers > 0) sgd.resize(workers);
    sgd.step();
    weights.push_back(sgd.weights());
  }
  return weights;
}

int none(int /*step*/) { return 0; }

/// Changes the CPUs on which this thread and the threads that it starts may run. The destructor restores them.
class Cores {
 public:
  Cores() { ::sched_getaffinity(0, sizeof all_, &all_); }
  ~Cores() { ::sched_setaffinity(0, sizeof all_, &all_); }
  Cores(const Cores&) = delete;
  Cores& operator=(const Cores&) = delete;

  int count() const { return CPU_COUNT(&all_); }
  void use(int cores) const {
    cpu_set_t used;
    CPU_ZERO(&used);
    for (int cpu = 0; cpu < CPU_SETSIZE && CPU_COUNT(&used) < cores; ++cpu)
      if (CPU_ISSET(cpu, &all_)) CPU_SET(cpu, &used);
    ::sched_setaffinity(0, sizeof used, &used);
  }

 private:
  cpu_set_t all_{};
};

void step_until(DistributedSGD& sgd, int workers) {
  CHECK(comes_true([&] {
    if (sgd.num_workers() != workers) sgd.step();
    return sgd.num_workers() == workers;
  }));
}

}  // namespace

TEST_CASE("forty random schedules of resizing are bitwise identical at each step") {
  constexpr int kSteps = 8;
  DistributedSGD still("noise", elastic(Placement::in_process, 3));
  const auto expected = lineage(still, kSteps, none);
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    Options options = elastic(Placement::in_process, 1 + static_cast<int>(random.below(kElasticShards)));
    options.gradients.strategy = seed % 3 == 0 ? Strategy::driver : Strategy::sharded;
    DistributedSGD sgd("noise", options);
    CHECK(lineage(sgd, kSteps, [&](int) { return static_cast<int>(random.below(kElasticShards + 1)); }) == expected);
  }
}

TEST_CASE("resizing with state, statistics and several devices per process is bitwise identical") {
  for (const Strategy strategy : {Strategy::sharded, Strategy::driver}) {
    CAPTURE(to_string(strategy));
    const Options options = dealt({Placement::processes, 2, 1, strategy}, kStatistics, "adam");
    const Options reference = dealt({Placement::in_process, 3, 2, strategy}, kStatistics, "adam");
    DistributedSGD still(kStatistics.name, reference);
    const auto expected = lineage(still, 6, none);
    DistributedSGD sgd(kStatistics.name, options);
    constexpr int kWorkers[] = {0, 5, 1, 0, 7, 3};
    CHECK(lineage(sgd, 6, [&](int step) { return kWorkers[step]; }) == expected);
    CHECK(sgd.num_workers() == 3);
    CHECK(sgd.worker_pids().size() == 3);
    CHECK(sgd.report().seconds.compute.size() == 3);
    CHECK(sgd.foreach_worker("who").size() == 3);
  }
}

TEST_CASE("resizing leaks no resources") {
  DistributedSGD sgd("noise", elastic(Placement::processes, 2));
  sgd.resize(4);
  sgd.resize(2);
  const auto files = open_files();
  for (int i = 0; i < 3; ++i) {
    sgd.resize(4);
    sgd.step();
    sgd.resize(2);
    sgd.step();
  }
  CHECK(open_files() == files);
}

TEST_CASE("invalid numbers of workers are refused, and the run is unchanged") {
  DistributedSGD sgd("noise", elastic(Placement::in_process, 2));
  for (const int workers : {0, -1, kElasticShards + 1}) {
    CAPTURE(workers);
    CHECK(code_of([&] { sgd.resize(workers); }) == ErrorCode::invalid_argument);
  }
  CHECK(sgd.num_workers() == 2);
  CHECK(sgd.step().step == 1);
  const auto refused = [](WorkerCount workers, int shards) {
    Options options = elastic(Placement::in_process, workers);
    options.num_shards = shards;
    return message_of([&] { DistributedSGD("noise", options); });
  };
  CHECK(refused({3, 2}, 8).find("3 to 2") != std::string::npos);
  CHECK(refused({0, 2}, 8).find("num_workers is 0") != std::string::npos);
  CHECK(refused({1, 9}, 8).find("8 shards are too few") != std::string::npos);
  CHECK(refused({1, 0}, 0).find("set num_shards") != std::string::npos);
}

TEST_CASE("workers that cannot start are an error, and the run is unchanged") {
  for (const char* fault : {"creator-throws", "other-size", "creator-exits"}) {
    CAPTURE(fault);
    Options options = elastic(Placement::processes, 1);
    options.config = fault;  // the fault of the second worker
    options.fault_tolerance.max_failures = 2;
    DistributedSGD sgd("faulty", options);
    sgd.step();
    CHECK(code_of([&] { sgd.resize(3); }));
    CHECK(sgd.num_workers() == 1);
    CHECK(sgd.step().step == 2);
    CHECK(sgd.report().repairs.empty());  // no worker that takes part was lost
  }
}

TEST_CASE("the remaining workers take over from a lost one, down to the last, and results stay bitwise identical") {
  const TemporaryFolder marks;
  Options options = elastic(Placement::processes, 3);
  options.fault_tolerance.restart = Restart::redistribute;
  options.fault_tolerance.max_failures = 10;
  options.config = dying_config(12'288, {{"compute", 1, 1}, {"apply", 2, 2}, {"compute", 0, 3}}, marks.path());
  Options undisturbed = options;
  undisturbed.placement = Placement::in_process;
  undisturbed.config = dying_config(12'288, {}, "");
  DistributedSGD still("dying", undisturbed);
  const auto expected = lineage(still, 5, none);

  DistributedSGD sgd("dying", options);
  CHECK(lineage(sgd, 1, none).back() == expected[0]);
  constexpr struct {
    int lost, left;
    bool redistributed;
  } kThen[] = {{1, 2, true}, {2, 1, true}, {0, 1, false}};
  for (std::size_t i = 0; i < std::size(kThen); ++i) {
    CAPTURE(i);
    CHECK(lineage(sgd, 1, none).back() == expected[i + 1]);
    REQUIRE(sgd.report().repairs.size() == 1);
    CHECK(sgd.report().repairs[0].worker == kThen[i].lost);
    CHECK(sgd.report().repairs[0].redistributed == kThen[i].redistributed);
    CHECK(sgd.num_workers() == kThen[i].left);
  }
  sgd.resize(3);
  CHECK(lineage(sgd, 1, none).back() == expected[4]);
}

TEST_CASE("a run with a range of workers continues without workers that keep dying, down to its minimum") {
  const TemporaryFolder marks;
  Options options = elastic(Placement::processes, {2, 3});
  options.fault_tolerance.max_failures = 0;
  options.config = dying_config(12'288, {{"compute", 0, 1}, {"compute", 1, 2}}, marks.path());
  DistributedSGD sgd("dying", options);
  if (sgd.num_workers() < 3) sgd.resize(3);
  sgd.step();
  CHECK(sgd.step().repairs.at(0).redistributed);
  CHECK(sgd.num_workers() == 2);
  CHECK(code_of([&] { sgd.step(); }) == ErrorCode::worker_lost);
  CHECK(sgd.step().step == 3);
}

TEST_CASE("a run with a range of workers has as many workers as cores, and follows changes") {
  Options options = elastic(Placement::in_process, {1, 2});
  const Cores cores;
  cores.use(1);
  DistributedSGD sgd("noise", options);
  CHECK(sgd.num_workers() == 1);
  if (cores.count() < 2) return;  // the machine has only one core
  cores.use(2);
  step_until(sgd, 2);
  cores.use(1);
  step_until(sgd, 1);
}

TEST_CASE("vectors and functions still work after a worker has been dropped") {
  const TemporaryFolder folder;
  Options options = elastic(Placement::processes, 3);
  options.fault_tolerance.restart = Restart::redistribute;
  options.fault_tolerance.max_failures = 10;
  options.checkpoint.folder = folder.path();
  options.config = dying_config(12'288, {{"compute", 0, 1}}, folder.path());
  DistributedSGD sgd("dying", options);
  sgd.step();
  sgd.step();
  CHECK(sgd.num_workers() == 2);
  const auto weights = sgd.weights();
  sgd.set_weights(weights);
  CHECK(sgd.weights() == weights);
  CHECK(sgd.foreach_model("first-weight").size() == 2);
  CHECK(sgd.call_model("first-weight") == sgd.foreach_model("first-weight").front());
  CHECK(sgd.foreach_worker("who").size() == 2);
  CHECK_FALSE(sgd.checkpoint().empty());
}

TEST_CASE("if the remaining workers cannot compute all shards, resize fails and the run is unchanged") {
  const Options options = elastic(Placement::in_process, 2);
  DistributedSGD sgd(
      [](const ReplicaContext& context) {
        if (context.shards.size() > kElasticShards / 2) throw std::runtime_error("too many");
        return std::make_unique<NoiseModel>(100);
      },
      options);
  CHECK(code_of([&] { sgd.resize(1); }) == ErrorCode::model_failed);
  CHECK(sgd.num_workers() == 2);
  CHECK(sgd.step().step == 1);
}

TEST_CASE("a run that failed to create its slabs continues once it can create them") {
  DistributedSGD sgd("noise", elastic(Placement::in_process, 2));
  sgd.step();
  {
    const FewFiles few(2);
    CHECK(code_of([&] { sgd.resize(7); }));
    code_of([&] { sgd.step(); });  // may find enough room
  }
  while (sgd.steps_done() < 3) sgd.step();
  DistributedSGD still("noise", elastic(Placement::in_process, 2));
  for (int step = 0; step < 3; ++step) still.step();
  CHECK(sgd.weights() == still.weights());
}

TEST_CASE("resize waits for a replica of this process that still computes") {
  std::atomic<int> computing = 0;
  std::atomic<bool> begun = false;
  {
    const auto busy = [&](std::span<const float>, std::span<float> gradient, const ShardStep& at) {
      if (at.shard == 0) {
        comes_true([&] { return begun.load(); });
        throw std::runtime_error("the first shard fails");
      }
      ++computing;
      begun = true;
      std::this_thread::sleep_for(std::chrono::milliseconds(300));
      std::ranges::fill(gradient, 0.0F);
      --computing;
      return BatchResult{0, 1};
    };
    class Busy : public NoiseModel {
     public:
      explicit Busy(std::function<BatchResult(std::span<const float>, std::span<float>, const ShardStep&)> compute)
          : NoiseModel(10), compute_(std::move(compute)) {}
      BatchResult gradient(const ShardStep& at, std::span<const float> weights, std::span<float> gradient) override {
        return compute_(weights, gradient, at);
      }

     private:
      std::function<BatchResult(std::span<const float>, std::span<float>, const ShardStep&)> compute_;
    };
    DistributedSGD sgd([&](int, int) { return std::make_unique<Busy>(busy); }, elastic(Placement::in_process, 2));
    CHECK(code_of([&] { sgd.step(); }) == ErrorCode::model_failed);
    CHECK(begun);
    sgd.resize(1);
    CHECK(computing == 0);
  }
  CHECK(computing == 0);
}

TEST_CASE("a worker lost during calls to other workers is reported by the next step") {
  for (const Restart restart : {Restart::respawn, Restart::redistribute}) {
    Options options = elastic(Placement::processes, 3);
    options.fault_tolerance.restart = restart;
    options.fault_tolerance.max_failures = 10;
    DistributedSGD sgd("noise", options);
    sgd.step();
    const auto pids = sgd.worker_pids();
    ::kill(pids[2], SIGKILL);
    REQUIRE(comes_true([&] { return !std::filesystem::exists("/proc/" + std::to_string(pids[2]) + "/exe"); }));
    for (int i = 0; i < 5; ++i) sgd.weights();  // only the first worker replies
    sgd.step();
    REQUIRE(sgd.report().repairs.size() == 1);
    CHECK(sgd.report().repairs[0].worker == 2);
    CHECK(sgd.num_workers() == (restart == Restart::respawn ? 3 : 2));
  }
}
