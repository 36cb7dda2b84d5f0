#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "cli/refused.hpp"

using namespace troupe_test;
using nlohmann::json;
using troupe::testing::TemporaryFolder;

namespace {

/// Files that the program wrote before 1.0 (commit 5dca460), in tests/fixtures/before-1.0. The commands were:
///   train --model mlp --model-option hidden=4 --data csv:points.csv,target=y --batch-size 2 --epochs 2 --optimizer
///   adam
///     --save weights.safetensors --checkpoint checkpoints --checkpoint-every 3 --report report.jsonl --hash --workers
///     2
///   train --model linear --data synthetic-linear --batch-size 0 --steps 5 --algorithm downpour --warm-start 1
///     --record downpour.record --workers 2 --parameter-servers 2
///   tune --model mlp --model-option hidden=4 --data csv:points.csv,target=y --space space.json --samples 2 --epochs 1
///     --out search
///   train --model mlp --model-option hidden=2 --data tar:pictures.tar --batch-size 2 --epochs 1 --workers 1
///   train|evaluate ... --print-config
class Before {
 public:
  Before() { std::filesystem::copy(TROUPE_BEFORE, folder_.path(), std::filesystem::copy_options::recursive); }

  std::string operator/(const std::string& name) const { return folder_.path() / name; }
  /// Runs the program in the folder. @returns its output
  std::string run(const std::vector<std::string>& arguments) const {
    const Finished finished = run_program(arguments, {.folder = folder_.path()});
    CHECK_MESSAGE(finished.status == 0, finished.err);
    return finished.out;
  }
  std::string read(const std::string& name) const {
    std::ifstream file(*this / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

 private:
  TemporaryFolder folder_;
};

const std::vector<std::string> kPoints{"--model",  "mlp",    "--model-option",
                                       "hidden=4", "--data", "csv:points.csv,target=y"};

}  // namespace

TEST_CASE("weights, checkpoints and reports of versions before 1.0 can be read") {
  const Before before;
  CHECK(before.run({"evaluate", "--load", "weights.safetensors", "--data", "csv:points.csv,target=y", "--json"})
            .find("\"loss\"") != std::string::npos);
  CHECK(before.run({"evaluate", "--load", "checkpoints", "--data", "csv:points.csv,target=y"}).find("loss") !=
        std::string::npos);
  CHECK(before.run({"checkpoint", "list", "checkpoints"}).find('4') != std::string::npos);
  before.run({"checkpoint", "verify", "checkpoints/step-00000004"});
  before.run(
      joined(joined({"train"}, kPoints), {"--batch-size", "2", "--optimizer", "adam", "--workers", "2", "--epochs", "3",
                                          "--checkpoint", "checkpoints", "--resume", "--report", "more.jsonl"}));
  const json first = json::parse(before.read("more.jsonl").substr(0, before.read("more.jsonl").find('\n')));
  CHECK(first["step"] == 5);
  CHECK(before.run({"report", "report.jsonl"}).find("loss") != std::string::npos);
  before.run({"diff", "report.jsonl", "report.jsonl"});
}

TEST_CASE("records, searches and indexes of versions before 1.0 can be read") {
  const Before before;
  before.run({"train", "--model", "linear", "--data", "synthetic-linear", "--batch-size", "0", "--steps", "5",
              "--algorithm", "downpour", "--warm-start", "1", "--replay", "downpour.record", "--workers", "2",
              "--servers", "2"});
  std::ofstream(before / "space.json") << R"({"learning_rate": {"loguniform": [1e-4, 1]}})";
  const std::string found =
      before.run(joined(joined({"tune"}, kPoints),
                        {"--space", "space.json", "--samples", "2", "--epochs", "1", "--out", "search", "--resume"}));
  CHECK(found.find("best is trial 1") != std::string::npos);

  constexpr std::int64_t kMadeAt = 1795767026975474572;  // the modification time of the data, stored in the index
  const timespec at{kMadeAt / 1'000'000'000, kMadeAt % 1'000'000'000};
  const timespec both[2]{at, at};
  REQUIRE(::utimensat(AT_FDCWD, (before / "pictures.tar").c_str(), both, 0) == 0);
  const auto written = std::filesystem::last_write_time(before / "pictures.tar.index");
  before.run({"train", "--model", "mlp", "--model-option", "hidden=2", "--data", "tar:pictures.tar", "--batch-size",
              "2", "--epochs", "1", "--workers", "1"});
  CHECK(std::filesystem::last_write_time(before / "pictures.tar.index") == written);
}

TEST_CASE("configurations of versions before 1.0 keep their meaning") {
  const Before before;
  const auto read = [&](const char* command, const char* file) {
    return json::parse(before.run({command, "--config", file, "--print-config"}));
  };
  const json train = read("train", "train.json");
  const json said{{"optimizer", "adamw"}, {"learning_rate", 0.01}, {"schedule", "cosine"}, {"schedule_total", 100},
                  {"workers", 2},         {"checkpoint", "run"},   {"slice_owners", 0},    {"step_timeout", 60}};
  for (const auto& [key, value] : said.items()) CHECK_MESSAGE(train[key] == value, key);
  CHECK(train["group"][0]["pattern"] == "*.bias");
  const json local = read("train", "local.json");
  CHECK(local["algorithm"] == "local");
  CHECK(local["local_steps"] == 4);
  CHECK(local["outer"] == "nesterov");
  CHECK(local["optimizer"] == "adamw");
  CHECK(read("evaluate", "evaluate.json")["load"] == "weights.safetensors");
}

TEST_CASE("parameter_servers in a configuration of versions before 1.0 sets slice owners or servers") {
  const Before before;
  std::ofstream(before / "servers.json") << R"({"algorithm": "downpour", "parameter_servers": 2, "staleness": 8})";
  std::ofstream(before / "owners.json") << R"({"strategy": "parameter-server", "parameter_servers": 2})";
  const auto read = [&](const std::vector<std::string>& words) {
    return json::parse(before.run(joined({"train"}, joined(words, {"--print-config"}))));
  };
  CHECK(read({"--config", "servers.json"})["servers"] == 2);
  CHECK(read({"--config", "servers.json"})["slice_owners"] == 0);
  CHECK(read({"--config", "owners.json"})["slice_owners"] == 2);
  CHECK(read({"--config", "owners.json", "--algorithm", "ssp"})["servers"] == 2);
  before.run({"train", "--model", "linear", "--data", "synthetic-linear", "--steps", "2", "--config", "servers.json"});
}
