#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <stdexcept>

#include "actors/pinned.hpp"
#include "actors/test_models.hpp"
#include "runtime/processes/cores.hpp"
#include "support/errors.hpp"
#include "support/gate.hpp"

using namespace troupe;
using namespace std::chrono_literals;
using troupe_test::quiet_options;

namespace {

/// A meeting point of replicas. Counts for each worker how many compute at the moment, and the maximum.
class Rendezvous {
 public:
  /// Enters, waits until `expected` replicas of the worker have been inside at the same time or until the timeout, and
  /// leaves.
  void pass(int worker, int expected, std::chrono::milliseconds timeout) {
    std::unique_lock lock(mutex_);
    auto& [inside, most] = workers_.at(static_cast<std::size_t>(worker));
    most = std::max(most, ++inside);
    changed_.notify_all();
    changed_.wait_for(lock, timeout, [&reached = most, expected] { return reached >= expected; });
    --inside;
  }
  int most(int worker) {
    const std::lock_guard lock(mutex_);
    return workers_.at(static_cast<std::size_t>(worker)).most;
  }

 private:
  struct Count {
    int inside = 0;
    int most = 0;
  };
  std::mutex mutex_;
  std::condition_variable changed_;
  std::array<Count, 4> workers_{};
};

/// Calls a function with worker and device before each gradient.
class Watched : public troupe_test::NoiseModel {
 public:
  using Before = std::function<void(const ReplicaContext&, const ShardStep&)>;
  Watched(ReplicaContext context, Before before)
      : NoiseModel(7), context_(std::move(context)), before_(std::move(before)) {}

  BatchResult gradient(const ShardStep& at, std::span<const float> weights, std::span<float> gradient) override {
    before_(context_, at);
    return NoiseModel::gradient(at, weights, gradient);
  }

 private:
  ReplicaContext context_;
  Before before_;
};

CreateModel watched(Watched::Before before) {
  return [before = std::move(before)](const ReplicaContext& context) {
    return std::make_unique<Watched>(context, before);
  };
}

Options replicas(int workers, int devices) {
  Options options = quiet_options(Placement::in_process, workers);
  options.compute.devices_per_worker = devices;
  return options;
}

}  // namespace

TEST_CASE("as many replicas of a worker compute at the same time as the worker has cores") {
  for (const int workers : {1, 2}) {
    const int at_a_time = std::max(1, usable_cores() / workers);
    Rendezvous meeting;
    const auto before = [&](const ReplicaContext& at, const ShardStep&) {
      meeting.pass(at.worker, at_a_time, troupe_test::kPatience);
    };
    DistributedSGD sgd(watched(before), replicas(workers, 2 * at_a_time));
    sgd.step();
    for (int worker = 0; worker < workers; ++worker) CHECK(meeting.most(worker) == at_a_time);
  }
}

TEST_CASE("only one replica of a worker computes at a time if the worker has one core") {
  const troupe_test::Pinned pinned;
  CHECK(usable_cores() == 1);
  for (const int workers : {1, 2}) {
    Rendezvous meeting;
    const auto before = [&](const ReplicaContext& at, const ShardStep&) { meeting.pass(at.worker, 2, 20ms); };
    DistributedSGD sgd(watched(before), replicas(workers, 3));
    sgd.step();
    for (int worker = 0; worker < workers; ++worker) CHECK(meeting.most(worker) == 1);
    CHECK(sgd.weights() == troupe_test::plain_noise_run(7, workers * 3, 1, 0.01, 0));
  }
}

TEST_CASE("replicas that wait for a failing replica still reply") {
  const troupe_test::Pinned pinned;
  std::atomic<int> computed = 0;
  const auto before = [&](const ReplicaContext& at, const ShardStep& step) {
    ++computed;
    if (at.worker == 0 && at.replica == 0 && step.step == 1) throw std::runtime_error("no such luck");
  };
  DistributedSGD sgd(watched(before), replicas(2, 3));
  sgd.step();
  for (int again = 0; again < 3; ++again) {
    CHECK(code_of([&] { sgd.step(); }) == ErrorCode::model_failed);
    CHECK(where_of([&] { sgd.step(); }).worker == 0);
  }
  CHECK(sgd.foreach_model([](Model&, auto) { return std::string(); }).size() == 6);
  CHECK(computed == 6 * 7);
}

TEST_CASE("replicas that wait for a hanging replica are abandoned with it" * doctest::test_suite("given up")) {
  const troupe_test::Pinned pinned;
  auto gate = std::make_shared<troupe_test::Gate>();
  auto hangs = std::make_shared<std::atomic<bool>>(true);
  {
    Options options = replicas(2, 3);
    options.timeouts.step = troupe_test::missed_by_none(options);
    const auto before = [=](const ReplicaContext& at, const ShardStep& step) {
      if (at.worker == 1 && step.step == 1 && *hangs) gate->pass();
    };
    DistributedSGD sgd(watched(before), options);
    sgd.step();
    const auto step = [&] { sgd.step(); };
    CHECK(code_of(step) == ErrorCode::timeout);
    CHECK(gate->waiting() == 1);  // the other two wait for their turn
    *hangs = false;
    sgd.step();  // by a new worker 1
    sgd.step();
    CHECK(sgd.weights() == troupe_test::plain_noise_run(7, 6, 3, 0.01, 0));
  }
  gate->open();
}

TEST_CASE("a hanging replica does not prevent the end of the run" * doctest::test_suite("given up")) {
  const troupe_test::Pinned pinned;
  auto gate = std::make_shared<troupe_test::Gate>();
  {
    Options options = replicas(1, 3);
    options.timeouts.step = troupe_test::missed_by_none(options);
    DistributedSGD sgd(watched([=](const ReplicaContext&, const ShardStep&) { gate->pass(); }), options);
    CHECK(code_of([&] { sgd.step(); }) == ErrorCode::timeout);
  }
  gate->open();
}
