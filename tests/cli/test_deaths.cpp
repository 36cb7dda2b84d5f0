#include <doctest/doctest.h>
#include <signal.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "cli/processes.hpp"
#include "cli/run_program.hpp"
#include "cli/small_data.hpp"

using namespace troupe_test;
using namespace std::chrono_literals;
using troupe::testing::TemporaryFolder;

namespace {

/// A training in worker processes that has made its first steps and continues for a very long time.
class LongTraining {
 public:
  explicit LongTraining(const std::vector<std::string>& more = {}) {
    program_ = std::make_unique<Program>(
        train_linear(joined(
            {"--placement", "processes", "--workers", "3", "--batch-size", "0", "--steps", "1000000000", "--verbose"},
            more)),
        Surroundings{.temporary = temporary_.path().string()});
    REQUIRE(program_->prints("step 3, "));
    pids_ = children_of(program_->pid());
    REQUIRE(pids_.size() == 3);
    for (const pid_t pid : pids_) watches_.emplace_back(pid);
  }

  Program& program() { return *program_; }
  const std::vector<pid_t>& workers() const { return pids_; }

  void check_nothing_left() {
    for (const Watch& watch : watches_) CHECK(watch.ends());
    for (const auto& entry : std::filesystem::directory_iterator(temporary_.path())) FAIL_CHECK(entry.path().string());
  }

 private:
  TemporaryFolder temporary_;
  std::unique_ptr<Program> program_;
  std::vector<pid_t> pids_;
  std::vector<Watch> watches_;
};

}  // namespace

TEST_CASE("a killed worker is replaced and reported, and the weights equal those of an undisturbed run") {
  const TemporaryFolder folder;
  const auto train = [&](const std::string& report, const std::vector<std::string>& more = {}) {
    return run_program(train_linear(joined({"--placement", "processes", "--workers", "3", "--batch-size", "0",
                                            "--steps", "50", "--report", folder / report, "--quiet"},
                                           more)));
  };
  const auto hash_of = [](const Finished& run) { return run.out.substr(run.out.rfind("weights sha256")); };
  const Finished undisturbed = train("undisturbed.json");
  const Finished run = train("disturbed.json", {"--fault", "kill worker 1 at step 20 phase compute"});
  CHECK(run.status == 0);
  // On a busy machine a short step may end before its worker does.
  CHECK_MESSAGE(matches(run.err,
                        "troupe: step 2[01] was repaired: a worker was lost: its process was ended by signal 9 "
                        "\\(worker 1, node pid [0-9]+, phase [a-z]+\\); replaced in [0-9.]+ s\n"),
                run.err);
  CHECK(hash_of(run) == hash_of(undisturbed));
  const auto repairs = [&](const std::string& report) {
    std::ifstream lines(folder / report);
    std::size_t count = 0;
    for (std::string line; std::getline(lines, line);)
      if (const auto step = nlohmann::json::parse(line); step.contains("repairs")) count += step["repairs"].size();
    return count;
  };
  CHECK(repairs("disturbed.json") == 1);
  CHECK(repairs("undisturbed.json") == 0);
}

TEST_CASE("with redistribution the others continue without a killed worker, and the weights stay the same") {
  const auto train = [&](const std::vector<std::string>& more) {
    return run_program(train_linear(
        joined({"--placement", "processes", "--batch-size", "0", "--steps", "30", "--shards", "4", "--quiet"}, more)));
  };
  const auto hash_of = [](const Finished& run) { return run.out.substr(run.out.rfind("weights sha256")); };
  const Finished undisturbed = train({"--workers", "4"});
  const Finished run = train({"--workers", "2", "--restart", "redistribute", "--fault", "kill worker 0 at step 20"});
  CHECK(run.status == 0);
  CHECK_MESSAGE(matches(run.err,
                        "troupe: step 2[01] was repaired: a worker was lost: its process was ended by signal 9 "
                        "\\(worker 0, node pid [0-9]+, phase [a-z]+\\); its shards redistributed in [0-9.]+ s\n"),
                run.err);
  CHECK(hash_of(run) == hash_of(undisturbed));
  const Finished range = train({"--workers", "1:3"});
  CHECK(range.status == 0);
  CHECK(hash_of(range) == hash_of(undisturbed));
}

TEST_CASE(
    "without a failure budget a killed worker ends the program with an error that names worker, process and phase") {
  for (std::size_t victim = 0; victim < 3; ++victim) {
    LongTraining training({"--max-failures", "0", "--suspect-after", "0", "--cut-after", "0"});
    const pid_t pid = training.workers()[victim];
    // The worker is stopped first, so that the driver waits for this worker alone when the worker is killed.
    ::kill(pid, SIGSTOP);
    training.program().read_until_silent(300ms);
    ::kill(pid, SIGKILL);
    const Finished run = training.program().finish();
    INFO(run.err);
    CHECK(run.status == 1);
    CHECK(matches(run.err, "troupe: worker_lost: .*signal 9 \\(worker [0-2], node pid " + std::to_string(pid) +
                               ", phase (compute|apply), step [0-9]+\\)\n"));
    CHECK(run.out.find("sha256") == std::string::npos);
    training.check_nothing_left();
  }
}

TEST_CASE("a stopped worker is reported at the deadline of the step for every algorithm") {
  const TemporaryFolder temporary;
  const auto train = [](const std::vector<std::string>& more) {
    return joined(train_linear({"--placement", "processes", "--batch-size", "0", "--verbose"}), more);
  };
  // A step takes less time than a whole run, which includes the start of its processes.
  const auto deadline = std::chrono::ceil<std::chrono::seconds>(generous_deadline([&] {
                                                                  run_program(train({"--steps", "3"}));
                                                                }) /
                                                                10);
  for (const char* algorithm : {"synchronous", "downpour", "ssp"}) {
    CAPTURE(algorithm);
    Program program(
        train({"--algorithm", algorithm, "--steps", "1000000000", "--step-timeout", std::to_string(deadline.count()),
               "--evaluate-timeout", std::to_string(deadline.count()), "--cut-after", "0", "--suspect-after", "0"}),
        {.temporary = temporary.path().string()});
    REQUIRE(program.prints("step 3, "));
    const auto workers = children_of(program.pid());
    REQUIRE(workers.size() == 2);
    const Watch stopped(workers[1]);
    ::kill(workers[1], SIGSTOP);
    const Finished run = program.finish();
    CHECK(run.status == 1);
    CHECK_MESSAGE(matches(run.err, "troupe: timeout: worker 1 .*node pid " + std::to_string(workers[1]) + ".*\n"),
                  run.err);
    CHECK(stopped.ends());
  }
}

TEST_CASE("an interrupt of the driver ends all processes") {
  LongTraining training;
  ::kill(training.program().pid(), SIGINT);
  CHECK(training.program().finish().status == 128 + SIGINT);
  training.check_nothing_left();
}

TEST_CASE("an interrupt of the process group by a terminal ends all processes without messages") {
  LongTraining training;
  ::kill(-training.program().pid(), SIGINT);
  const Finished run = training.program().finish();
  CHECK(run.status == 128 + SIGINT);
  CHECK(run.err.empty());
  training.check_nothing_left();
}

TEST_CASE("workers end when the driver is terminated or killed, for every algorithm") {
  for (const char* algorithm : {"synchronous", "downpour", "ssp"})
    for (const int signal : {SIGTERM, SIGKILL}) {
      CAPTURE(algorithm);
      LongTraining training({"--algorithm", algorithm});
      ::kill(training.program().pid(), signal);
      CHECK(training.program().finish().status == (signal == SIGTERM ? 128 + SIGTERM : -SIGKILL));
      training.check_nothing_left();
    }
}

TEST_CASE("a stopped worker also ends when the driver is killed") {
  LongTraining training;
  ::kill(training.workers()[1], SIGSTOP);
  training.program().read_until_silent(300ms);
  ::kill(training.program().pid(), SIGKILL);
  CHECK(training.program().finish().status == -SIGKILL);
  training.check_nothing_left();
}

TEST_CASE("all processes end when the reader of standard output is closed") {
  LongTraining training;
  training.program().stop_reading();
  CHECK(training.program().finish().status == -SIGPIPE);
  training.check_nothing_left();
}
