#include <doctest/doctest.h>
#include <signal.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <regex>
#include <sstream>
#include <thread>

#include "cli/html/browser.hpp"
#include "cli/processes.hpp"
#include "cli/run_program.hpp"
#include "cli/small_data.hpp"
#include "support/text.hpp"

using namespace troupe_test;
using nlohmann::json;
using troupe::testing::read_file;
using troupe::testing::TemporaryFolder;
using troupe::testing::write_file;

namespace {

/// Searches with a linear model and writes to `folder`/out.
std::vector<std::string> tune(const TemporaryFolder& folder, const json& space,
                              const std::vector<std::string>& more = {}) {
  write_file(folder / "space.json", space.dump());
  return joined({"tune", "--model", "linear", "--data", "synthetic-linear", "--space", folder / "space.json", "--out",
                 folder / "out"},
                more);
}

const json kRates{{"learning_rate", {{"loguniform", {1e-4, 0.1}}}}, {"batch_size", {{"choice", {32, 64}}}}};

/// Returns all results of a search except times.
std::string found(const TemporaryFolder& folder) {
  std::istringstream lines(read_file(folder / "out/reports.jsonl"));
  std::string all;
  for (std::string line; std::getline(lines, line);) {
    json report = json::parse(line);
    report.erase("seconds");
    all += report.dump() + '\n';
  }
  return all;
}

/// Returns the table without times, the best trial and its command.
std::string ending(const Finished& run) {
  std::string all;
  const auto lines = lines_of(run.out);
  const auto table = std::ranges::find_if(lines, [](const std::string& line) { return line.starts_with("trial  "); });
  const std::regex up_to_reports("^(\\S+ +\\S+ +\\S+ +\\S+) .*");
  for (auto line = table; line != lines.end(); ++line)
    all += (line + 2 < lines.end() ? std::regex_replace(*line, up_to_reports, "$1") : *line) + '\n';
  return all;
}

std::string refused(const std::vector<std::string>& arguments) {
  const Finished run = run_program(arguments);
  CHECK(run.status == 2);
  CHECK(run.out.empty());
  return run.err;
}

}  // namespace

TEST_CASE("tune prints a table and a command for the best trial that reproduces its weights") {
  const TemporaryFolder folder;
  const Finished run = run_program(tune(folder, kRates, {"--samples", "4", "--epochs", "2"}));
  REQUIRE_MESSAGE(run.status == 0, run.err);
  const auto lines = lines_of(run.out);
  REQUIRE(lines.size() == 4 + 1 + 4 + 2);
  CHECK(std::regex_match(lines[4], std::regex("trial  state  loss +reports  seconds  batch_size  learning_rate")));
  double before = -1;
  for (std::size_t i = 5; i < 9; ++i) {
    std::smatch row;
    REQUIRE(std::regex_match(lines[i], row, std::regex("[1-4] +done +([0-9.e+-]+) +2 .*")));
    CHECK(std::stod(row[1]) >= before);
    before = std::stod(row[1]);
  }
  std::smatch best;
  REQUIRE(std::regex_match(lines[9], best, std::regex("best is trial ([1-4]), with loss .*; its weights are in (.*)")));
  CHECK(lines[5].starts_with(best[1].str()));
  std::istringstream command(lines[10]);
  std::vector<std::string> words{std::istream_iterator<std::string>(command), {}};
  REQUIRE(words.size() > 2);
  CHECK(words.front() == "troupe");
  words.erase(words.begin());
  words.insert(words.end(), {"--save", folder / "again.safetensors"});
  REQUIRE(run_program(words).status == 0);
  CHECK(read_file(folder / "again.safetensors") == read_file(best[2]));
  CHECK(count(found(folder), "\n") == 8);
}

TEST_CASE("trials that complete under asha save their weights") {
  const TemporaryFolder folder;
  const Finished run = run_program(
      tune(folder, kRates, {"--samples", "3", "--epochs", "2", "--scheduler", "asha", "--concurrent", "1"}));
  REQUIRE_MESSAGE(run.status == 0, run.err);
  CHECK(contains(run.out, "its weights are in"));
}

TEST_CASE("trials with cross-validation are compared by the means over all folds") {
  const TemporaryFolder folder;
  const Finished run = run_program(tune(folder, kRates,
                                        {"--samples", "1", "--epochs", "2", "--scheduler", "asha", "--reduction", "9",
                                         "--grace", "3", "--cross-validate", "3"}));
  REQUIRE_MESSAGE(run.status == 0, run.err);
  CHECK(count(found(folder), "\n") == 3);
  const json last = json::parse(lines_of(found(folder)).back());
  CHECK(last.at("metrics").at("cv") == 3);
  CHECK(contains(run.out, "loss " + last.at("metrics").at("loss").dump()));
}

TEST_CASE("a parameter that is not an option may appear as a placeholder in an argument") {
  const TemporaryFolder folder;
  write_file(folder / "book.txt", std::string(300, 'a') + std::string(300, 'b'));
  write_file(folder / "space.json", json{{"w", {{"grid", {4, 8}}}}}.dump());
  const std::vector<std::string> command{"tune",    "--space",      folder / "space.json",
                                         "--out",   folder / "out", "--samples",
                                         "1",       "--data",       "text:" + (folder / "book.txt") + ",window={w}",
                                         "--model", "mlp",          "--steps",
                                         "2"};
  const Finished run = run_program(command);
  CHECK_MESSAGE(run.status == 0, run.err);
  CHECK(contains(read_file(folder / "out/trial-0002/output.txt"), "window=8"));
}

TEST_CASE("an invalid search is refused before anything starts") {
  const TemporaryFolder folder;
  CHECK(contains(refused(tune(folder, {{"larning_rate", 1}})), "did you mean 'learning_rate'?"));
  CHECK(contains(refused(tune(folder, {{"learning_rate", {{"uniform", {2, 1}}}}})), "low is above high"));
  CHECK(contains(refused(tune(folder, {{"learning_rate", {{"loguniform", {0, 1}}}}})), "there is no logarithm of 0"));
  CHECK(contains(refused(tune(folder, {{"batch_size", {{"choice", json::array()}}}})), "requires a non-empty list"));
  CHECK(contains(refused(tune(folder, {{"optimizer", {{"choice", {"sgdd"}}}}})), "did you mean 'sgd'?"));
  CHECK(contains(refused(tune(folder, {{"batch_size", {{"grid", {32, -1}}}}})), "--batch-size"));
  CHECK(contains(refused(tune(folder, kRates, {"--learning-rate", "1"})), "also set on the command line"));
  CHECK(contains(refused(tune(folder, kRates, {"--lerning-rate", "1"})), "did you mean '--learning-rate'?"));
  CHECK(contains(refused(tune(folder, kRates, {"--save", "x"})), "--save is not for trials of a search"));
  CHECK(contains(refused(tune(folder, {{"save", "x"}})), "--save is not for trials of a search"));
  CHECK(contains(refused(tune(folder, {{"checkpoint.folder", "x"}})), "--checkpoint is not for trials of a search"));
  CHECK(contains(refused(tune(folder, kRates, {"--model", "\xff"})), "not UTF-8"));
  CHECK(contains(refused(tune(folder, kRates, {"--samples", "2000000"})),
                 "2000000 trials are too many; the maximum is 1000000"));
  CHECK(contains(refused(tune(folder, kRates, {"--scheduler", "asha"})), "asha needs --epochs"));
  CHECK(contains(refused(tune(folder, kRates, {"--cpus", "100000"})), "cores; available: "));
  write_file(folder / "space.json", "{");
  CHECK(run_program({"tune", "--space", folder / "space.json"}).status == 1);
  CHECK_FALSE(std::filesystem::exists(folder / "out"));
}

TEST_CASE("an interrupted search prints how to resume, and an existing search is not overwritten") {
  const TemporaryFolder folder;
  const std::vector<std::string> command = tune(folder, kRates, {"--samples", "3", "--steps", "1000000000"});
  Program program(command);
  while (!std::filesystem::exists(folder / "out/trial-0001/reports.jsonl")) std::this_thread::yield();
  ::kill(program.pid(), SIGTERM);
  const Finished stopped = program.finish();
  CHECK(stopped.status == 128 + SIGTERM);
  CHECK(contains(stopped.out, "to resume:"));
  CHECK(contains(stopped.out, "--resume"));
  CHECK(contains(refused(command), "there is a search already"));
  CHECK(contains(refused(joined(command, {"--resume", "--samples", "4"})), "the search there has another num_samples"));
}

TEST_CASE("whatever is killed at whatever moment, a resumed search ends with the same results") {
  const TemporaryFolder folder;
  const std::vector<std::string> command = tune(folder, kRates,
                                                {"--samples", "4", "--epochs", "30", "--workers", "2", "--placement",
                                                 "processes", "--max-failures", "1000", "--resume"});
  const Finished whole = run_program(command);
  REQUIRE(whole.status == 0);
  const std::string undisturbed = found(folder);
  REQUIRE(count(ending(whole), "\n") == 1 + 4 + 2);
  CHECK(count(undisturbed, "\n") == 120);
  const int kills = std::getenv("TROUPE_SOAK") == nullptr ? 12 : 100;
  std::mt19937 random(1);
  int searches = 0;
  for (int done = 0; done < kills;) {
    if (searches++ == 0 || std::filesystem::exists(folder / "out/reports.jsonl"))
      std::filesystem::remove_all(folder / "out");
    Program program(command);
    std::vector<pid_t> victims{program.pid()};
    std::this_thread::sleep_for(std::chrono::milliseconds(random() % 300));  // a random moment
    for (const pid_t trial : children_of(program.pid())) {
      victims.push_back(trial);
      for (const pid_t worker : children_of(trial)) victims.push_back(worker);
    }
    done += ::kill(victims[random() % victims.size()], SIGKILL) == 0;
    const Finished run = program.finish();
    if (run.status != 0) {
      CHECK(run.status == -SIGKILL);
      continue;
    }
    CHECK_MESSAGE((found(folder) == undisturbed), run.out);
    CHECK(ending(run) == ending(whole));
  }
  const Finished last = run_program(command);
  CHECK_MESSAGE(last.status == 0, last.err);
  CHECK((found(folder) == undisturbed));
  CHECK(ending(last) == ending(whole));
}

TEST_CASE("trials report each epoch even with --quiet") {
  const TemporaryFolder folder;
  const TemporaryFolder quiet;
  const std::vector<std::string> more{"--samples", "2", "--epochs", "3"};
  REQUIRE(run_program(tune(folder, kRates, more)).status == 0);
  REQUIRE(run_program(tune(quiet, kRates, joined(more, {"--quiet"}))).status == 0);
  CHECK(count(found(quiet), "\n") == 6);
  CHECK(found(quiet) == found(folder));
}

TEST_CASE("the page of a search shows trials, values and curves in a browser") {
  if (!has_browser()) {
    MESSAGE("skipped: there is no chromium, which scripts/install-deps.sh --dev installs");
    return;
  }
  const TemporaryFolder folder;
  json space = kRates;
  space["optimizer"] = {{"choice", {"sgd", "adam"}}};
  const Finished run =
      run_program(tune(folder, space, {"--samples", "5", "--epochs", "3", "--html", folder / "page.html"}));
  REQUIRE_MESSAGE(run.status == 0, run.err);
  const Rendered rendered = render(folder / "page.html");
  CHECK_MESSAGE(rendered.console.empty(), rendered.console);
  CHECK(count(rendered.document, "<title>trial ") == 5 + 15);  // lines, and points of the curves
  CHECK(count(rendered.document, "class=\"line c1\"") >= 1);
  CHECK(contains(rendered.document, ">learning_rate</text>"));
  CHECK(contains(rendered.document, ">adam</text>"));
  CHECK(contains(rendered.document, "<figcaption>loss of each report</figcaption>"));
}

TEST_CASE("a trial that the scheduler stops saves the weights of its last report") {
  const TemporaryFolder folder;
  const std::string data = "fashion-mnist:" + folder.path().string();
  write_fashion(folder, 200, 60);
  write_file(folder / "space.json", json{{"learning_rate", {{"grid", {0.3, 1e-7, 1e-8, 1e-9}}}}}.dump());
  const Finished run = run_program({"tune",
                                    "--space",
                                    folder / "space.json",
                                    "--out",
                                    folder / "out",
                                    "--model",
                                    "softmax",
                                    "--data",
                                    data,
                                    "--batch-size",
                                    "20",
                                    "--epochs",
                                    "9",
                                    "--scheduler",
                                    "asha",
                                    "--reduction",
                                    "2",
                                    "--metric",
                                    "loss",
                                    "--concurrent",
                                    "1"});
  INFO(run.out << run.err);
  REQUIRE(run.status == 0);
  int stopped = 0;
  for (int trial = 1; trial <= 4; ++trial) {
    const std::string own = folder / ("out/trial-000" + std::to_string(trial));
    stopped += json::parse(read_file(own + "/end.json")).at("state") == "stopped" ? 1 : 0;
    std::string in_table;
    for (const std::string& line : lines_of(read_file(folder / "out/reports.jsonl")))
      if (line.starts_with("{\"trial\":" + std::to_string(trial) + ",")) in_table = line;
    const json last = json::parse(in_table);
    const Finished measured =
        run_program({"evaluate", "--load", own + "/weights.safetensors", "--data", data, "--json"});
    INFO(measured.err);
    REQUIRE(measured.status == 0);
    CHECK(json::parse(measured.out).at("loss").get<double>() ==
          doctest::Approx(last.at("metrics").at("loss").get<double>()).epsilon(1e-9));
  }
  CHECK(stopped > 0);
}

TEST_CASE("a trial ends after --max-reports and saves the weights of its last report") {
  const TemporaryFolder folder;
  const Finished run =
      run_program(tune(folder, kRates, {"--samples", "2", "--epochs", "4", "--max-reports", "2", "--concurrent", "1"}));
  REQUIRE_MESSAGE(run.status == 0, run.err);
  for (const char* const own : {"out/trial-0001", "out/trial-0002"}) {
    CHECK(json::parse(read_file(folder / own + std::string("/end.json"))).at("reports") == 2);
    const std::string output = read_file(folder / own + std::string("/output.txt"));
    CHECK_MESSAGE(contains(output, "epoch 2: "), output);
    CHECK_FALSE(contains(output, "epoch 3: "));
    CHECK(contains(output, "weights sha256"));
  }
}
