#include <doctest/doctest.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/processes.hpp"
#include "cli/refused.hpp"
#include "cli/small_data.hpp"
#include "runtime/file_descriptor.hpp"
#include "support/patience.hpp"
#include "support/text.hpp"

using namespace troupe_test;
using nlohmann::json;
using troupe::testing::read_file;
using troupe::testing::TemporaryFolder;

namespace {

/// Trains on data in the folder. An epoch has 5 steps.
std::vector<std::string> train_softmax(const TemporaryFolder& folder, const std::vector<std::string>& more) {
  return joined({"train", "--model", "softmax", "--data", "fashion-mnist:" + folder.path().string(), "--batch-size",
                 "5", "--quiet"},
                more);
}

/// Returns the first cells of all lines after the header.
std::vector<std::string> iterations_of(const std::string& csv) {
  std::vector<std::string> cells;
  for (const std::string& line : lines_of(csv)) cells.push_back(line.substr(0, line.find(',')));
  REQUIRE_FALSE(cells.empty());
  CHECK(cells.front() == "iteration");
  cells.erase(cells.begin());
  return cells;
}

}  // namespace

TEST_CASE("logs contain steps and evaluations, and a resumed run appends to them") {
  const TemporaryFolder folder;
  write_fashion(folder);
  const std::string csv = folder / "s.csv";
  const std::string events = folder / "events";
  const auto train = [&](const char* epochs) {
    const Finished run = run_program(train_softmax(
        folder, {"--epochs", epochs, "--report", folder / "r.jsonl", "--checkpoint", folder / "run", "--resume",
                 "--log", "csv:" + csv + ",tensorboard:" + events, "--log", "json:" + (folder / "s.jsonl")}));
    REQUIRE_MESSAGE(run.status == 0, run.err);
    CHECK(run.err.empty());
  };
  train("1");
  CHECK(iterations_of(read_file(csv)) == std::vector<std::string>{"1", "2", "3", "4", "5", "5"});
  CHECK(lines_of(read_file(csv)).front() ==
        "iteration,seconds,accuracy,apply_seconds,compute_seconds,data_seconds,epoch,learning_rate,loss,reduce_seconds,"
        "samples,samples_per_second,step_seconds,test_accuracy,test_loss");
  const std::string before = read_file(csv);
  train("2");
  CHECK(read_file(csv).starts_with(before));
  CHECK(iterations_of(read_file(csv)).size() == 12);
  CHECK(iterations_of(read_file(csv)).back() == "10");
  CHECK(std::distance(std::filesystem::directory_iterator(events), {}) == 2);

  std::vector<json> lines;
  for (const std::string& line : lines_of(read_file(folder / "s.jsonl"))) lines.push_back(json::parse(line));
  CHECK(lines.front().at("event") == "start");
  CHECK(lines.back().at("event") == "end");
  CHECK(lines.back().at("iterations") == 10);
  CHECK(std::ranges::count(lines, "start", [](const json& line) { return line.at("event"); }) == 2);
  CHECK(std::ranges::count(lines, "checkpoint", [](const json& line) { return line.at("event"); }) == 2);
}

TEST_CASE("a progress log replaces the progress bar") {
  const Finished run = run_program(train_linear({"--steps", "3", "--log", "progress"}));
  REQUIRE(run.status == 0);
  CHECK(contains(run.out, "iteration 1: epoch 1, "));
  CHECK(contains(run.out, "iteration 3: epoch 1, "));
  CHECK(contains(run.out, "ended after 3 iterations\n"));
  CHECK_FALSE(contains(run.out, "ETA"));
}

TEST_CASE("an unknown log is refused with the list of logs, and a log that cannot be written is named") {
  const TemporaryFolder folder;
  for (const char* bad : {"cvs:s.csv", "csv:", "", "progress,"})
    check_refused(train_linear({"--steps", "1", "--log", bad}),
                  {"invalid_argument", "csv:FILE, json:FILE, tensorboard:FOLDER or progress"});
  check_refused(train_linear({"--steps", "1", "--quiet", "--log", "csv:" + (folder / "no/s.csv")}),
                {"bad_file", folder / "no/s.csv"});
}

TEST_CASE("a reader cannot lock a report, two runs cannot share a report, and a lock ends with its run") {
  const TemporaryFolder folder;
  const std::string report = folder / "steps.jsonl";
  troupe::testing::write_file(report, "");
  const troupe::FileDescriptor reader(::open(report.c_str(), O_RDONLY | O_CLOEXEC));
  REQUIRE(::flock(reader.get(), LOCK_EX | LOCK_NB) == 0);
  const auto arguments = train_linear({"--steps", "5", "--quiet", "--report", report});
  CHECK(run_program(arguments).status == 0);
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 1);
  Program first(train_linear({"--steps", "4000000", "--quiet", "--report", report}));
  REQUIRE(troupe_test::comes_true([&] { return std::filesystem::exists(folder / ".steps.jsonl.lock"); }));
  check_refused(arguments, {"in_use", report});
  ::kill(first.pid(), SIGKILL);
  first.finish();
  CHECK(run_program(arguments).status == 0);  // the killed run has left its files
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 1);
}

TEST_CASE("a report or log that becomes unwritable does not lose the weights") {
  const TemporaryFolder folder;
  const std::string weights = folder / "w.safetensors";
  const auto check = [&](const std::vector<std::string>& arguments, const std::string& what, bool leaves) {
    CAPTURE(arguments[1]);
    std::filesystem::remove(weights);
    const std::string fifo = folder / "fifo";
    Finished done;
    if (leaves) {
      std::filesystem::remove(fifo);
      REQUIRE(::mkfifo(fifo.c_str(), 0600) == 0);
      troupe::FileDescriptor reader(::open(fifo.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
      Program program(train_linear(joined(arguments, {"--steps", "2000", "--quiet", "--save", weights})));
      char byte = 0;
      REQUIRE(troupe_test::comes_true([&] { return ::read(reader.get(), &byte, 1) == 1; }));
      reader.reset();
      done = program.finish();
    } else {
      done = run_program(train_linear(joined(arguments, {"--steps", "5", "--quiet", "--save", weights})));
    }
    CHECK(done.status == 1);
    CHECK(contains(done.out, "weights sha256 "));
    CHECK_MESSAGE(contains(done.err, "training continues without the " + what), done.err);
    CHECK(lines_of(done.err).size() == 1);
    CHECK(std::filesystem::exists(weights));
  };
  check({"--report", "/dev/full"}, "report", false);
  check({"--log", "csv:/dev/full"}, "log", false);
  check({"--log", "json:/dev/full"}, "log", false);
  check({"--report", folder / "fifo"}, "report", true);
  check({"--log", "json:" + (folder / "fifo")}, "log", true);
}

TEST_CASE("two runs cannot write one report or log") {
  const TemporaryFolder folder;
  for (const std::string& option : {std::string("--report"), std::string("--log")}) {
    const std::string file = (option == "--log" ? "csv:" : "") + (folder / option.substr(2));
    Program first(train_linear({"--steps", "1000000", option, file}));
    REQUIRE(first.prints("step 2,"));
    check_refused(train_linear({"--steps", "3", "--quiet", option, file}), {"in_use", "another run writes to it"});
  }
}

TEST_CASE("worker processes log at the level of the command that starts them") {
  Program program(train_linear({"--placement", "processes", "--workers", "2", "--batch-size", "0", "--steps",
                                "1000000000", "--verbose", "--log-level", "error"}));
  REQUIRE(program.prints("step 1, "));
  const std::vector<pid_t> workers = children_of(program.pid());
  CHECK(workers.size() == 2);
  for (const pid_t worker : workers)
    CHECK(contains(read_file("/proc/" + std::to_string(worker) + "/environ"), "TROUPE_LOG_LEVEL=error"));
  ::kill(program.pid(), SIGTERM);
  CHECK(program.finish().status == 128 + SIGTERM);
}
