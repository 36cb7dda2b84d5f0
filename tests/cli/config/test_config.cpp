#include <doctest/doctest.h>
#include <sys/stat.h>

#include "cli/refused.hpp"
#include "cli/run_program.hpp"
#include "cli/small_data.hpp"

using namespace troupe_test;
using troupe::testing::TemporaryFolder;
using troupe::testing::write_file;

namespace {

constexpr const char* kConfig = R"({"model": "linear", "data": "synthetic-linear", "batch-size": 50, "workers": 2,
  "learning-rate": 0.01, "momentum": 0, "steps": 6, "quiet": true})";

std::string hash(const std::vector<std::string>& arguments) {
  const Finished run = run_program(arguments);
  CHECK_MESSAGE(run.status == 0, run.err);
  return run.out;
}

}  // namespace

TEST_CASE("a configuration file sets options, and the command line overrides it") {
  const TemporaryFolder folder;
  const std::string path = folder / "config.json";
  write_file(path, kConfig);
  const std::string six = hash(train_linear({"--steps", "6", "--quiet"}));
  const std::string nine = hash(train_linear({"--steps", "9", "--quiet"}));
  CHECK(hash({"train", "--config", path}) == six);
  CHECK(hash({"--config=" + path, "train"}) == six);
  CHECK(hash({"train", "--steps", "9", "--config", path}) == nine);
  // 1000 samples, 2 shards, batch size 50: an epoch has 10 steps.
  CHECK(hash({"train", "--config", path, "--epochs", "1"}) == hash(train_linear({"--steps", "10", "--quiet"})));
}

TEST_CASE("a repeatable option is a list in a configuration, and the command line replaces the whole list") {
  const TemporaryFolder folder;
  const std::string path = folder / "config.json";
  const auto trained = [](const std::vector<std::string>& more) {
    std::vector<std::string> arguments{"train",        "--model", "softmax", "--data", "mock-images:4,3",
                                       "--batch-size", "4",       "--steps", "3",      "--weight-decay",
                                       "0.5",          "--quiet"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return hash(arguments);
  };
  const std::string both = trained({"--group", "b*:weight_decay=0", "--group", "*:weight_decay=0.1"});
  const std::string one = trained({"--group", "b*:weight_decay=0"});
  CHECK(both != one);
  write_file(path, R"({"group": ["b*:weight_decay=0", "*:weight_decay=0.1"]})");
  CHECK(trained({"--config", path}) == both);
  CHECK(trained({"--config", path, "--group", "bias:learning_rate_factor=1,weight_decay=0"}) == one);
  write_file(path, R"({"group": "b*:weight_decay=0"})");
  CHECK(trained({"--config", path}) == one);
}

TEST_CASE("invalid configurations are refused with the file and the key") {
  const TemporaryFolder folder;
  const std::string path = folder / "config.json";
  const std::string nested(100'000, '[');
  const std::vector<std::pair<std::string, std::string>> cases{
      {R"({"wrokers": 2})", "unknown key 'wrokers' for 'train'; did you mean 'workers'?"},
      {R"({"optimizer": {"learning_rat": 2}})", "did you mean 'learning_rate'?"},
      {R"({"optimizer": {"learning_rate": {}}})", "'optimizer.learning_rate'"},
      {R"({"workers": 2, "num_workers": 3})", "'workers' sets the same option as 'num_workers'"},
      {R"({"print-config": true})", "'print-config'"},
      {R"({"config": "other"})", "'config'"},
      {R"({"help": true})", "'help'"},
      {R"({"": 2})", "unknown key ''"},
      {R"({"workers": "two"})", "--workers"},
      {R"({"workers": 2.5})", "--workers"},
      {R"({"workers": null})", "'workers'"},
      {R"({"workers": {"count": 2}})", "'workers'"},
      {R"({"workers": [2]})", "'workers'"},
      {R"({"workers": true})", "'workers'"},
      {R"({"quiet": 1})", "'quiet'"},
      {R"({"group": 1})", "'group'"},
      {R"({"group": [1]})", "'group'"},
      {R"({"group": [["*:weight_decay=0"]]})", "'group'"},
      {R"({"group": [{"weight_decay": 0}]})", "pattern"},
      {R"({"group": [{"pattern": "*", "decay": 0}]})", "decay=0"},
      {R"({"placement": "moon"})", "--placement"},
      {"[1, 2]", "JSON object"},
      {"{", "not JSON"},
      {"", "not JSON"},
      {nested, "nested deeper than"},
  };
  for (const auto& [text, expected] : cases) {
    write_file(path, text);
    const Finished run = run_program({"train", "--config", path});
    CHECK_MESSAGE(run.status == (run.err.starts_with("troupe: bad_file: ") ? 1 : 2), text.substr(0, 80));
    CHECK_MESSAGE(run.err.find(expected) != std::string::npos, run.err);
    CHECK_MESSAGE(lines_of(run.err).size() == 1, run.err);
    CHECK_MESSAGE((run.err.find(path) != std::string::npos || run.err.find("--") != std::string::npos), run.err);
  }
}

TEST_CASE("a configuration must be a regular file") {
  const TemporaryFolder folder;
  const std::string fifo = folder / "fifo";
  REQUIRE(::mkfifo(fifo.c_str(), 0600) == 0);
  for (const std::string& path : {fifo, folder.path().string(), folder / "missing", std::string()}) {
    const Finished run = run_program({"train", "--config", path});
    CHECK(run.status == 1);
    CHECK_MESSAGE(run.err.find(path) != std::string::npos, run.err);
    CHECK_MESSAGE(run.err.starts_with("troupe: bad_file: "), run.err);
  }
  CHECK(run_program({"train", "--config"}).err.find("--config needs a file") != std::string::npos);
  write_file(folder / "empty", "{}");
  check_refused({"train", "--config", folder / "empty", "--config", folder / "empty"},
                {"--config", "may be given once"});
}
