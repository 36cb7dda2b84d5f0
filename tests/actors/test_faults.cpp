#include <doctest/doctest.h>
#include <signal.h>
#include <sys/wait.h>

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <random>
#include <thread>

#include "actors/test_models.hpp"
#include "support/errors.hpp"
#include "support/open_files.hpp"
#include "support/optimizers.hpp"

using namespace troupe;
using namespace std::chrono_literals;
using troupe_test::kPlacements;
using troupe_test::quiet_options;

namespace {

Options faulty(Placement placement, const std::string& fault) {
  Options options = quiet_options(placement, 2);
  options.config = fault;
  return options;
}

bool is_gone(int pid) { return ::kill(pid, 0) != 0; }

}  // namespace

TEST_CASE("invalid options are refused before the start of a run") {
  const auto refused = [](auto change) {
    Options options = quiet_options(Placement::in_process, 2);
    options.config = "10";
    change(options);
    return code_of([&] { DistributedSGD("noise", options); });
  };
  CHECK(refused([](Options& o) { o.num_workers = 0; }) == ErrorCode::invalid_argument);
  CHECK(refused([](Options& o) { o.num_workers = -1; }) == ErrorCode::invalid_argument);
  CHECK(refused([](Options& o) { o.num_workers = 1 << 30; }) == ErrorCode::invalid_argument);
  CHECK(refused([](Options& o) { o.compute.devices_per_worker = 0; }) == ErrorCode::invalid_argument);
  CHECK(refused([](Options& o) { o.num_shards = 1; }) == ErrorCode::invalid_argument);
  CHECK(refused([](Options& o) { o.num_shards = -4; }) == ErrorCode::invalid_argument);
  CHECK(refused([](Options& o) { o.gradients.strategy = static_cast<Strategy>(99); }) == ErrorCode::invalid_argument);
  CHECK(refused([](Options& o) { o.optimizer = RegisteredOptimizer{.name = "magic"}; }) == ErrorCode::invalid_argument);
  CHECK(refused([](Options& o) { o.timeouts.step = 0ms; }) == ErrorCode::invalid_argument);
  CHECK(refused([](Options& o) { o.compute.device = Device::cuda; }) == ErrorCode::unsupported);
  CHECK(code_of([] { DistributedSGD("nobody", quiet_options(Placement::in_process, 1)); }) ==
        ErrorCode::invalid_argument);
  CHECK(code_of([] { DistributedSGD("nobody", quiet_options(Placement::processes, 1)); }) ==
        ErrorCode::invalid_argument);
  CHECK(code_of([] { DistributedSGD(CreateModel(), quiet_options(Placement::in_process, 1)); }) ==
        ErrorCode::invalid_argument);
}

TEST_CASE("a lambda cannot be passed to worker processes") {
  const auto creator = [](int, int) { return std::make_unique<troupe_test::NoiseModel>(3); };
  CHECK(code_of([&] { DistributedSGD(creator, quiet_options(Placement::processes, 1)); }) ==
        ErrorCode::invalid_argument);
}

TEST_CASE("an error of a model creator names the worker, with every placement") {
  for (const Placement placement : kPlacements) {
    for (const char* fault : {"creator-throws", "creator-null", "describe-throws", "many-tensors", "odd-name"}) {
      const auto start = [&] { DistributedSGD("faulty", faulty(placement, fault)); };
      CHECK(code_of(start) == ErrorCode::model_failed);
      CHECK(where_of(start).worker == 1);
      CHECK(where_of(start).phase == "start");
    }
    const auto start = [&] { DistributedSGD("faulty", faulty(placement, "other-size")); };
    CHECK(code_of(start) == ErrorCode::model_mismatch);
    CHECK(message_of(start).find("11") != std::string::npos);
    const auto says = [&](const char* fault, const char* text) {
      return message_of([&] { DistributedSGD("faulty", faulty(placement, fault)); }).find(text) != std::string::npos;
    };
    CHECK(says("other-tensors",
               "worker 1's replica on device 0 has tensors with different names or in a different order"));
    CHECK(says("other-samples", "has 100 samples and 0 steps per epoch, worker 0's on device 0 has 0 samples"));
    CHECK(says("no-samples", "the model has -3 samples"));
    CHECK(says("creator-throws", "no such luck"));
    CHECK(says("many-tensors", "the model's 3500 tensors take"));
    CHECK(says("odd-name", "the model's tensor has a name that is not printable or too long, '?[2J"));
  }
  const auto exits = [] { DistributedSGD("faulty", faulty(Placement::processes, "creator-exits")); };
  CHECK(code_of(exits) == ErrorCode::worker_lost);
  CHECK(message_of(exits).find("status 5") != std::string::npos);
}

TEST_CASE("more shards than samples are refused") {
  const auto data = load_data("synthetic-linear");
  Options options = quiet_options(Placement::in_process, 2);
  options.num_shards = 1001;
  CHECK(code_of([&] { DistributedSGD([&](int, int) { return models::linear_regression(data); }, options); }) ==
        ErrorCode::invalid_argument);
}

TEST_CASE("an error of a model names worker, phase and step, and the step changes nothing") {
  for (const Placement placement : kPlacements)
    for (const char* fault : {"throw", "throw-int", "negative", "nan", "infinity"}) {
      DistributedSGD sgd("faulty", faulty(placement, fault));
      sgd.step();
      sgd.step();
      const auto before = sgd.weights();
      for (int again = 0; again < 2; ++again) {
        const auto step = [&] { sgd.step(); };
        const bool throws = std::string(fault).starts_with("throw") || std::string(fault) == "negative";
        CHECK(code_of(step) == (throws ? ErrorCode::model_failed : ErrorCode::non_finite_loss));
        CHECK(where_of(step).worker == 1);
        CHECK(where_of(step).phase == "compute");
        CHECK(where_of(step).step == 3);
      }
      CHECK(sgd.weights() == before);
      CHECK(sgd.report().step == 2);
    }
}

TEST_CASE("the error for a full store names the object") {
  for (const Placement placement : kPlacements) {
    Options options = quiet_options(placement, 2);
    options.config = "100000";
    options.memory.store_bytes = 1'000'000;  // two buffers of weights fit, but not two gradients in addition
    const auto start = [&] { DistributedSGD("noise", options); };
    CHECK(code_of(start) == ErrorCode::store_full);
    CHECK(message_of(start).find("gradient") != std::string::npos);
  }
}

TEST_CASE("an error names a worker that dies during a step, and the next step restarts the worker") {
  for (const char* fault : {"kill", "exit"}) {
    DistributedSGD sgd("faulty", faulty(Placement::processes, fault));
    const auto pids = sgd.worker_pids();
    sgd.step();
    sgd.step();
    Where where;
    std::string message;
    try {
      sgd.step();
    } catch (const Error& error) {
      CHECK(error.code() == ErrorCode::worker_lost);
      where = error.where();
      message = error.what();
    }
    CHECK(where == Where{1, "pid " + std::to_string(pids[1]), "compute", 3, ""});
    CHECK(message.find(std::string(fault) == "kill" ? "signal 9" : "status 3") != std::string::npos);
    CHECK(is_gone(pids[1]));
    CHECK_FALSE(is_gone(pids[0]));
    CHECK(code_of([&] { sgd.step(); }) == ErrorCode::worker_lost);  // the worker dies again
    CHECK(sgd.worker_pids()[1] != pids[1]);
  }
}

TEST_CASE("several workers that die at once are replaced by the next step") {
  Options options = quiet_options(Placement::processes, 4);
  options.config = "7";
  DistributedSGD sgd("noise", options);
  sgd.step();
  const auto pids = sgd.worker_pids();
  for (const int worker : {0, 1, 3}) ::kill(pids[static_cast<std::size_t>(worker)], SIGKILL);
  CHECK(code_of([&] { sgd.step(); }) == ErrorCode::worker_lost);
  sgd.step();
  CHECK(sgd.weights() == troupe_test::plain_noise_run(7, 4, 2, 0.01, 0));
}

TEST_CASE("an unlimited timeout is supported") {
  Options options = quiet_options(Placement::processes, 1);
  options.config = "7";
  options.timeouts.step = std::chrono::milliseconds::max();
  options.timeouts.start = std::chrono::milliseconds::max();
  DistributedSGD sgd("noise", options);
  CHECK(sgd.step().step == 1);
}

TEST_CASE("a worker that stops replying makes step throw within its deadline") {
  Options options = faulty(Placement::processes, "stop");
  options.timeouts.step = troupe_test::missed_by_none(quiet_options(Placement::processes, 2));
  options.fault_tolerance.cut_after = 0ms;
  DistributedSGD sgd("faulty", options);
  sgd.step();
  sgd.step();
  const auto pids = sgd.worker_pids();
  const auto step = [&] { sgd.step(); };
  CHECK(code_of(step) == ErrorCode::timeout);
  CHECK(where_of(step).worker == 1);
  CHECK(is_gone(pids[1]));
}

TEST_CASE("deaths at any moment do not change the results") {
  constexpr int kSteps = 40;
  for (const Strategy strategy : {Strategy::sharded, Strategy::driver}) {
    Options options = quiet_options(Placement::processes, 3);
    options.num_shards = 5;
    options.gradients.strategy = strategy;
    edit(options)->momentum = 0.9;
    options.config = "421642";
    DistributedSGD sgd("noise", options);
    std::mt19937 random(3);
    std::mutex mutex;
    std::condition_variable stepped;
    int target = -1;
    bool done = false;
    // Kills a worker some microseconds after the start of a step.
    std::thread killer([&] {
      std::unique_lock lock(mutex);
      for (;;) {
        stepped.wait(lock, [&] { return target > 0 || done; });
        if (done) return;
        stepped.wait_for(lock, std::chrono::microseconds(random() % 20'000), [&] { return done; });
        if (target > 0) ::kill(target, SIGKILL);
        target = -1;
      }
    });
    int committed = 0;
    int deaths = 0;
    while (committed < kSteps) {
      if (committed % 4 == 1 && deaths < 12) {
        const std::lock_guard lock(mutex);
        if (target < 0) target = sgd.worker_pids()[random() % 3];
        stepped.notify_one();
      }
      try {
        sgd.step();
        ++committed;
      } catch (const Error& error) {
        ++deaths;
        INFO(std::string(error.what()));
        REQUIRE(error.code() == ErrorCode::worker_lost);
      }
    }
    {
      const std::lock_guard lock(mutex);
      done = true;
      target = -1;
    }
    stepped.notify_one();
    killer.join();
    CHECK(deaths > 0);
    std::vector<float> weights;
    while (code_of([&] { weights = sgd.weights(); })) {  // the last death may happen as late as this
    }
    CHECK(weights == troupe_test::plain_noise_run(421'642, 5, kSteps, 0.01, 0.9));
  }
}

TEST_CASE("a replica of this process that hangs makes step throw, and is replaced" * doctest::test_suite("given up")) {
  struct Gate {
    std::mutex mutex;
    std::condition_variable changed;
    bool open = false;
    std::atomic<int> made = 0;
  };
  class Hanging : public troupe_test::NoiseModel {
   public:
    Hanging(std::shared_ptr<Gate> g, bool hangs, bool light)
        : NoiseModel(7), gate_(std::move(g)), hangs_(hangs), light_(light) {}
    BatchResult gradient(const ShardStep& at, std::span<const float> weights, std::span<float> out) override {
      if (hangs_ && at.step == 1) {
        std::unique_lock lock(gate_->mutex);
        gate_->changed.wait(lock, [this] { return gate_->open; });
      }
      return NoiseModel::gradient(at, weights, out);
    }

   protected:
    ModelInfo prepare(const ReplicaContext& /*context*/) override { return {.size = 7, .lightweight = light_}; }

   private:
    std::shared_ptr<Gate> gate_;
    bool hangs_;
    bool light_;
  };
  for (const bool light : {false, true}) {
    auto gate = std::make_shared<Gate>();
    Options options = quiet_options(Placement::in_process, 2);
    options.num_shards = 4;
    options.timeouts.step = troupe_test::missed_by_none(options);
    {
      DistributedSGD sgd(
          [gate, light](int worker, int) {
            return std::make_unique<Hanging>(gate, worker == 1 && gate->made++ == 0, light);
          },
          options);
      sgd.step();
      const auto step = [&] { sgd.step(); };
      CHECK(code_of(step) == ErrorCode::timeout);
      sgd.step();  // by a new worker 1
      sgd.step();
      CHECK(sgd.report().step == 3);
      CHECK(sgd.weights() == troupe_test::plain_noise_run(7, 4, 3, 0.01, 0));
    }
    const std::lock_guard lock(gate->mutex);
    gate->open = true;
    gate->changed.notify_all();
  }
}

TEST_CASE("a run leaves no process, no descriptor and no folder") {
  {
    DistributedSGD warm_up("noise", [] {
      auto o = quiet_options(Placement::processes, 1);
      o.config = "7";
      return o;
    }());
  }
  const std::size_t descriptors = troupe_test::open_files();
  const std::size_t folders = troupe_test::socket_folders();
  for (const Placement placement : kPlacements) {
    std::vector<int> pids;
    {
      Options options = quiet_options(placement, 2);
      options.config = "4097";
      DistributedSGD sgd("noise", options);
      sgd.step();
      pids = sgd.worker_pids();
      CHECK(troupe_test::socket_folders() == folders);  // exists only while workers join
    }
    for (const int pid : pids)
      if (placement == Placement::processes) CHECK(is_gone(pid));
  }
  for (const char* fault : {"creator-throws", "creator-exits", "kill"}) {
    try {
      DistributedSGD sgd("faulty", faulty(Placement::processes, fault));
      for (int step = 0; step < 3; ++step) sgd.step();
      CHECK(false);
    } catch (const Error&) {
      CHECK(troupe_test::socket_folders() == folders);
    }
  }
  CHECK(::waitpid(-1, nullptr, WNOHANG) == -1);  // no child, running or ended
  CHECK(troupe_test::open_files() == descriptors);
}
