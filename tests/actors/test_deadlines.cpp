#include <doctest/doctest.h>

#include <functional>

#include "actors/test_models.hpp"
#include "models/files.hpp"
#include "support/errors.hpp"
#include "support/stop.hpp"

using namespace troupe;
using namespace troupe_test;
using namespace std::chrono_literals;
using troupe::testing::TemporaryFolder;

namespace {

/// Two worker processes with deadlines that never pass and with no limits on silence.
Options patient() {
  Options options = quiet_options(Placement::processes, 2);
  options.config = "7";
  options.fault_tolerance.cut_after = options.fault_tolerance.suspect_after = 0ms;
  options.timeouts.step = options.timeouts.evaluate = options.timeouts.save = options.timeouts.call = 24h;
  return options;
}

void check_missed(const Options& options, const char* phase, const std::function<void(DistributedSGD&)>& call) {
  CAPTURE(phase);
  DistributedSGD sgd("noise", options);
  sgd.step();
  stop(sgd.worker_pids()[0]);  // every call asks this worker
  const auto missed = [&] { call(sgd); };
  Where where;
  try {
    missed();
  } catch (const Error& error) {
    CHECK(error.code() == ErrorCode::timeout);
    where = error.where();
  }
  CHECK(where.phase == phase);
  CHECK(where.worker == 0);
  sgd.step();  // by a replacement
  CHECK(sgd.steps_done() == 2);
}

}  // namespace

TEST_CASE("evaluations, vectors and functions have deadlines of their own") {
  const auto soon = missed_by_none(quiet_options(Placement::processes, 2));
  const TemporaryFolder folder;
  Options options = patient();
  options.timeouts.evaluate = soon;
  check_missed(options, "evaluate", [](DistributedSGD& sgd) { sgd.evaluate(); });
  options = patient();
  options.timeouts.call = soon;
  check_missed(options, "call", [](DistributedSGD& sgd) { sgd.foreach_worker("who"); });
  options = patient();
  options.timeouts.save = soon;
  check_missed(options, "weights", [](DistributedSGD& sgd) { sgd.weights(); });
  check_missed(options, "save_state", [&](DistributedSGD& sgd) { sgd.save_state(folder / "state"); });
  check_missed(options, "set_weights", [](DistributedSGD& sgd) { sgd.set_weights(std::vector<float>(7)); });
}

TEST_CASE("the timeout of steps applies to steps only") {
  Options options = patient();
  options.timeouts.step = 1ms;
  options.config = "3000000";
  DistributedSGD sgd("noise", options);
  CHECK(sgd.weights().size() == 3'000'000);
  CHECK(sgd.foreach_model("first-weight").size() == 2);
  CHECK(code_of([&] { sgd.evaluate(); }) != ErrorCode::timeout);
}

TEST_CASE("timeouts of zero or less are refused") {
  for (const auto timeout : {&TimeoutOptions::evaluate, &TimeoutOptions::save, &TimeoutOptions::call})
    for (const auto length : {0ms, -1ms}) {
      Options options = patient();
      options.timeouts.*timeout = length;
      CHECK(code_of([&] { DistributedSGD("noise", options); }) == ErrorCode::invalid_argument);
    }
}
