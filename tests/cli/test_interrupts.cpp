#include <doctest/doctest.h>
#include <signal.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "cli/processes.hpp"
#include "cli/run_program.hpp"
#include "cli/small_data.hpp"
#include "support/patience.hpp"
#include "support/stop.hpp"

using namespace troupe_test;
using nlohmann::json;
using troupe::testing::read_file;
using troupe::testing::TemporaryFolder;

// Trainings that a signal stops. The contents of their checkpoints are tested in test_checkpoints.cpp.

namespace {

/// Trains for a practically unlimited number of steps.
std::vector<std::string> train_on(const std::vector<std::string>& more) {
  return train_linear(joined({"--steps", "1000000000", "--batch-size", "0"}, more));
}

Finished stopped_by(int signal, const std::vector<std::string>& arguments) {
  Program program(arguments);
  REQUIRE(program.prints("step 3, "));
  ::kill(program.pid(), signal);
  Finished stopped = program.finish();
  INFO(stopped.out << stopped.err);
  CHECK(stopped.status == 128 + signal);
  CHECK(stopped.err.empty());
  return stopped;
}

std::int64_t last_step(const std::string& out) {
  std::smatch told;
  REQUIRE(std::regex_search(out, told, std::regex("stopped by [a-zA-Z ]+ after step ([0-9]+)")));
  return std::stoll(told[1]);
}

bool has_ended(pid_t pid) {
  std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
  const std::string text{std::istreambuf_iterator<char>(stat), {}};
  return text.find(") Z") != std::string::npos;
}

}  // namespace

TEST_CASE("an interrupted training with --save saves weights, ends its report and prints how to load the weights") {
  const TemporaryFolder folder;
  const std::string weights = folder / "w.safetensors";
  const std::string report = folder / "steps.jsonl";
  const Finished stopped = stopped_by(SIGINT, train_on({"--save", weights, "--report", report}));
  const auto lines = lines_of(stopped.out);
  REQUIRE(lines.size() > 2);
  const std::string& told = lines.back();
  CHECK(told.starts_with("  " TROUPE_PROGRAM " train "));
  CHECK(told.ends_with(" --load " + weights));
  CHECK(lines[lines.size() - 2].find("; the weights are in " + weights + "; ") != std::string::npos);

  const std::string text = read_file(report);
  REQUIRE(text.ends_with('\n'));
  CHECK(json::parse(lines_of(text).back()).at("step") == last_step(stopped.out));
  const Finished on = run_program(train_linear({"--steps", "2", "--load", weights}));
  CHECK_MESSAGE(on.status == 0, on.err);
}

TEST_CASE("an interrupted training that saves nothing prints which options would save") {
  const TemporaryFolder folder;
  const std::string report = folder / "steps.jsonl";
  Program program(train_on({"--quiet", "--report", report}));
  REQUIRE(comes_true([&] { return std::filesystem::exists(report) && lines_of(read_file(report)).size() > 3; }));
  ::kill(program.pid(), SIGTERM);
  const Finished stopped = program.finish();
  CHECK(stopped.status == 143);
  const auto lines = lines_of(stopped.out);
  REQUIRE(lines.size() == 1);
  CHECK(matches(lines[0], "stopped by SIGTERM after step [0-9]+; nothing is saved: with --checkpoint DIR, .*"));
}

TEST_CASE("an interrupted training with --save and --checkpoint writes weights and a checkpoint") {
  const TemporaryFolder folder;
  const std::string weights = folder / "w.safetensors";
  const Finished stopped = stopped_by(SIGTERM, train_on({"--save", weights, "--checkpoint", folder / "run"}));
  CHECK(std::filesystem::exists(weights));
  CHECK(stopped.out.find(", saved in " + (folder / "run")) != std::string::npos);
  CHECK(stopped.out.find("; the weights are in " + weights + "; to resume:\n") != std::string::npos);
  CHECK(lines_of(stopped.out).back().ends_with(" --resume"));
}

TEST_CASE("a signal to the process group stops a training after its workers complete the step") {
  const TemporaryFolder folder;
  const std::string report = folder / "steps.jsonl";
  Program program(
      train_on({"--placement", "processes", "--workers", "2", "--checkpoint", folder / "run", "--report", report}));
  REQUIRE(program.prints("step 1, "));
  const auto workers = children_of(program.pid());
  REQUIRE(workers.size() == 2);
  for (const int signal : {SIGTERM, SIGHUP, SIGINT})
    for (const pid_t worker : workers) ::kill(worker, signal);
  const auto steps = [&] { return lines_of(read_file(report)).size(); };
  REQUIRE(comes_true([&, before = steps()] { return steps() > before + 100; }));  // a dead worker would end the steps
  CHECK(children_of(program.pid()) == workers);
  ::kill(-program.pid(), SIGTERM);
  const Finished stopped = program.finish();
  CHECK(stopped.status == 128 + SIGTERM);
  CHECK_MESSAGE(stopped.err.empty(), stopped.err);
  CHECK(last_step(stopped.out) >= 3);
}

TEST_CASE("a second signal ends a training at once") {
  Program program(train_on({"--placement", "processes", "--cut-after", "0", "--suspect-after", "0", "--step-timeout",
                            "1000", "--fault", "stop worker 0 at step 4"}));
  REQUIRE(program.prints("step 3, "));
  const auto hangs = [&] {
    const auto workers = children_of(program.pid());
    return std::any_of(workers.begin(), workers.end(), troupe::is_stopped);
  };
  REQUIRE(comes_true(hangs));
  const auto ends = [&] {
    ::kill(program.pid(), SIGINT);
    std::this_thread::sleep_for(std::chrono::milliseconds(400));  // a signal sooner counts as the same request
    return has_ended(program.pid());
  };
  REQUIRE(comes_true(ends));
  CHECK(program.finish().status == -SIGINT);
}

TEST_CASE("repeated signals, as from timeout(1), stop a training once, and so does a lost terminal") {
  const TemporaryFolder folder;
  Program program(train_on({"--checkpoint", folder / "run"}));
  REQUIRE(program.prints("step 3, "));
  for (int i = 0; i < 3; ++i) ::kill(program.pid(), SIGTERM);
  const Finished stopped = program.finish();
  CHECK(stopped.status == 128 + SIGTERM);
  CHECK_MESSAGE(stopped.out.find("stopped by SIGTERM after step ") != std::string::npos, stopped.out);

  const Finished hung_up = stopped_by(SIGHUP, train_on({"--checkpoint", folder / "other"}));
  CHECK(last_step(hung_up.out) >= 3);
}
