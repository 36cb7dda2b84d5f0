#include <doctest/doctest.h>

#include <sstream>

#include "actors/test_models.hpp"
#include "support/captured_errors.hpp"
#include "support/errors.hpp"

using namespace troupe;
using namespace troupe_test;
using namespace std::chrono_literals;

namespace {

constexpr std::size_t kSilentSize = 100'000;

/// Two worker processes, with the given faults of worker 1.
Options unwell(const std::vector<testing::Fault>& faults) {
  Options options = quiet_options(Placement::processes, 2);
  options.config = std::to_string(kSilentSize);
  options.fault_tolerance.max_failures = 5;
  options.fault_tolerance.suspect_after = 500ms;
  options.fault_tolerance.cut_after = 1s;
  options.fault_tolerance.faults = faults;
  return options;
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

}  // namespace

TEST_CASE("a stopped worker is suspected, cut off and replaced within the step, and results stay bitwise identical") {
  constexpr int kSteps = 5;
  const CapturedErrors errors;
  DistributedSGD sgd("noise", unwell({testing::StopWorker{.worker = 1, .step = 2},
                                      testing::StopWorker{.worker = 1, .step = 3, .phase = "apply"}}));
  const int pid = sgd.worker_pids()[1];
  std::vector<Repair> repairs;
  for (int step = 1; step <= kSteps; ++step) {
    const StepReport report = sgd.step();
    CHECK(report.step == step);
    repairs.insert(repairs.end(), report.repairs.begin(), report.repairs.end());
  }
  REQUIRE(repairs.size() == 2);
  for (const Repair& repair : repairs) {
    CHECK(repair.worker == 1);
    CHECK(repair.what.starts_with("a worker was lost: its process showed no sign of life for 1."));
    CHECK(repair.what.ends_with(" s, and was killed"));
  }
  const std::string told = "troupe: worker 1 (pid " + std::to_string(pid) + ") shows no sign of life for 0.";
  CHECK(count(errors.text(), told) == 1);
  CHECK(count(errors.text(), "no sign of life") == 2);
  CHECK(sgd.weights() == plain_noise_run(kSilentSize, 2, kSteps, 0.01, 0));
}

TEST_CASE("a slow worker is not treated as lost, and the report names it") {
  Options options = unwell({testing::SlowWorker{.worker = 1, .factor = 10, .step = 2}});
  options.config = std::to_string(30 * kSilentSize);
  options.fault_tolerance.suspect_after = 0ms;
  options.fault_tolerance.cut_after = 2s;
  DistributedSGD sgd("noise", options);
  sgd.step();
  StepReport report;
  std::size_t repairs = 0;
  bool named = false;
  for (double slow = 0; slow < 3; slow += report.seconds.step) {  // longer than a loss needs to be detected
    report = sgd.step();
    repairs += report.repairs.size();
    const auto slowest = static_cast<std::size_t>(report.slowest.worker);
    CHECK(report.slowest.seconds == report.seconds.compute.at(slowest));
    CHECK(report.slowest.others == report.seconds.compute.at(1 - slowest));
    CHECK(report.slowest.seconds >= report.slowest.others);
    named = named || slowest == 1;
  }
  CHECK(repairs == 0);
  CHECK(named);
}

TEST_CASE("with zero limits, a stopped worker (as in a debugger) is not lost before the timeout of the step") {
  Options options = unwell({testing::StopWorker{.worker = 1, .step = 2}});
  options.fault_tolerance.cut_after = 0ms;
  options.fault_tolerance.suspect_after = 0ms;
  options.timeouts.step = std::max(1500ms, missed_by_none(quiet_options(Placement::processes, 2)));
  const CapturedErrors errors;
  DistributedSGD sgd("noise", options);
  sgd.step();
  CHECK(code_of([&] { sgd.step(); }) == ErrorCode::timeout);
  CHECK(errors.text().empty());
}

TEST_CASE("limits below the interval of the signs of life are refused") {
  for (const auto limit : {-1ms, 1ms, 499ms}) {
    Options options = unwell({});
    options.fault_tolerance.suspect_after = limit;
    CHECK(code_of([&] { DistributedSGD("noise", options); }) == ErrorCode::invalid_argument);
    options = unwell({});
    options.fault_tolerance.cut_after = limit;
    CHECK(message_of([&] { DistributedSGD("noise", options); }).find("cut_after is ") != std::string::npos);
  }
}

TEST_CASE("the line about the slowest worker appears only if it takes more than twice as long as the others") {
  const auto line = [](const Slowest& slowest) {
    std::ostringstream text;
    text << slowest;
    return text.str();
  };
  CHECK(line({2, 0.5, 0.2}) == "slowest worker 2, 0.500000 against 0.200000 of the others\n");
  CHECK(line({2, 0.5, 0.25}).empty());
  CHECK(line({2, 0.0009, 0.0001}).empty());
  CHECK(line({}).empty());
}
