#include <doctest/doctest.h>
#include <signal.h>

#include <atomic>
#include <condition_variable>
#include <mutex>

#include "actors/spoiled_model.hpp"
#include "actors/state/state_trial.hpp"
#include "actors/test_models.hpp"
#include "support/errors.hpp"

using namespace troupe;
using namespace troupe_test;

namespace {

Options pinning(Placement placement, Strategy strategy, const char* optimizer) {
  Options options = quiet_options(placement, 2);
  make_trial(options, kStatistics, optimizer);
  options.gradients.strategy = strategy;
  return options;
}

std::vector<float> weights_of(Driver& driver, Versions::PinId pin) {
  std::vector<float> weights;
  driver.state().read_pinned(
      pin, kWeightsVector, [&](auto values) { weights.assign(values.begin(), values.end()); }, "weights");
  return weights;
}

/// Blocks hanging replicas until it is opened.
struct HangingGate {
  void open() {
    const std::lock_guard lock(mutex);
    is_open = true;
    changed.notify_all();
  }
  void wait() {
    std::unique_lock lock(mutex);
    changed.wait(lock, [this] { return is_open; });
  }

  std::mutex mutex;
  std::condition_variable changed;
  bool is_open = false;
  std::atomic<int> made = 0;
};

class Hanging : public SpoiledModel {
 public:
  Hanging(std::shared_ptr<HangingGate> gate, bool hangs) : SpoiledModel({}), gate_(std::move(gate)), hangs_(hangs) {}
  BatchResult gradient(const ShardStep& at, std::span<const float> weights, std::span<float> gradient) override {
    if (hangs_ && at.step == 3) gate_->wait();
    return SpoiledModel::gradient(at, weights, gradient);
  }

 private:
  std::shared_ptr<HangingGate> gate_;
  bool hangs_;
};

}  // namespace

TEST_CASE("a pinned version does not change during later steps") {
  for (const char* optimizer : {"sgd", "adagrad", "adam"})
    for (const Strategy strategy : {Strategy::sharded, Strategy::driver}) {
      CAPTURE(optimizer);
      CAPTURE(to_string(strategy));
      Driver driver(kStatistics.name, pinning(Placement::in_process, strategy, optimizer));
      Driver again(kStatistics.name, pinning(Placement::in_process, strategy, optimizer));
      check_pinning(driver, again, [](Driver&) {});
    }
}

TEST_CASE("a pinned version survives the loss of a worker process") {
  for (const Strategy strategy : {Strategy::sharded, Strategy::driver}) {
    CAPTURE(to_string(strategy));
    Driver driver(kStatistics.name, pinning(Placement::processes, strategy, "adam"));
    Driver again(kStatistics.name, pinning(Placement::in_process, strategy, "adam"));
    check_pinning(driver, again, [](Driver& disturbed) {
      ::kill(disturbed.run().worker_pids()[1], SIGKILL);
      CHECK(code_of([&] { disturbed.step(); }) == ErrorCode::worker_lost);
    });
  }
}

TEST_CASE("a pinned version survives a replica of this process that hangs" * doctest::test_suite("given up")) {
  const auto gate = std::make_shared<HangingGate>();
  Options options = pinning(Placement::in_process, Strategy::sharded, "adam");
  options.timeouts.step = missed_by_none(options);
  {
    const auto create = [gate](int worker, int) {
      return std::make_unique<Hanging>(gate, worker == 1 && gate->made++ == 0);
    };
    Driver driver(create, options);
    Driver again(kStatistics.name, pinning(Placement::in_process, Strategy::sharded, "adam"));
    check_pinning(driver, again,
                  [](Driver& disturbed) { CHECK(code_of([&] { disturbed.step(); }) == ErrorCode::timeout); });
  }
  gate->open();
}

TEST_CASE("set_weights does not change pinned versions, and several versions can be pinned") {
  Driver driver(kStatistics.name, pinning(Placement::in_process, Strategy::sharded, "sgd"));
  std::vector<std::vector<float>> seen;
  const auto keep = [&](std::span<const float> floats) { seen.emplace_back(floats.begin(), floats.end()); };
  std::vector<Versions::PinId> pins;
  for (int version = 0; version < 3; ++version) {
    driver.step();
    pins.push_back(driver.state().pin());
    driver.state().read_weights(keep);
  }
  const std::vector<float> ones(seen[0].size(), 1.0F);
  driver.state().set_weights(ones);
  for (const auto pin : pins) driver.state().read_pinned(pin, kWeightsVector, keep, "test");
  for (std::size_t version = 0; version < 3; ++version) CHECK((seen[3 + version] == seen[version]));
  driver.state().read_weights(keep);
  CHECK((seen.back() == ones));
  CHECK((seen[0] != seen[1]));
}

TEST_CASE("without room for another buffer, steps are refused and all other calls work") {
  Options options = pinning(Placement::in_process, Strategy::sharded, "adam");
  Driver probe(kStatistics.name, options);
  const auto two_buffers = static_cast<std::size_t>(probe.step().state_bytes);
  // Has room for all shards and for twice the state, but not for another half of the state.
  options.memory.store_bytes = 2 * two_buffers + static_cast<std::size_t>(options.num_shards) * two_buffers / 6;
  Driver driver(kStatistics.name, options);
  driver.step();
  const auto pin = driver.state().pin();
  const auto pinned = weights_of(driver, pin);
  driver.step();
  CHECK(code_of([&] { driver.step(); }) == ErrorCode::store_full);
  CHECK((weights_of(driver, pin) == pinned));
  CHECK(code_of([&] { driver.step(); }) == ErrorCode::store_full);
  CHECK_FALSE(code_of([&] { driver.state().read_weights([](std::span<const float>) {}); }));
  driver.state().unpin(pin);
  CHECK(driver.step().step == 3);
}
