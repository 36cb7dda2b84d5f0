#include <doctest/doctest.h>

#include <map>
#include <nlohmann/json.hpp>

#include "cli/commands.hpp"
#include "cli/config/config_keys.hpp"
#include "cli/refused.hpp"

using namespace troupe_test;
using nlohmann::json;
using troupe::testing::TemporaryFolder;
using troupe::testing::write_file;

namespace {

/// An option of `train` with an example value, as text of a command line and as JSON.
struct Example {
  const char* option;
  const char* text;  ///< null for a flag
  json value;
};

const std::vector<Example>& examples() {
  const json group{{"pattern", "a:b*"}, {"weight_decay", 0}, {"learning_rate_factor", 0.5}};
  static const json groups = json::array({group});
  static const std::vector<Example> all{
      {"model", "resnet18", "resnet18"},
      {"data", "mock-images:32,7", "mock-images:32,7"},
      {"model-option", "width=32", json::array({"width=32"})},
      {"new-head", nullptr, true},
      {"freeze-tensors", "layer1.*", json::array({"layer1.*"})},
      {"validate", "0.1", "0.1"},
      {"transform", "crop 28 2, flip", "crop 28 2, flip"},
      {"patience", "3", 3},
      {"cross-validate", "5", 5},
      {"loss", "softmax-cross-entropy", "softmax-cross-entropy"},
      {"metric", "brier-score", json::array({"brier-score"})},
      {"batch-size", "8", 8},
      {"micro-batch", "4", 4},
      {"workers", "2:4", "2:4"},
      {"devices-per-worker", "2", 2},
      {"placement", "cluster", "cluster"},
      {"strategy", "ring", "ring"},
      {"any-order", nullptr, true},
      {"slice-owners", "1", 1},
      {"servers", "3", 3},
      {"algorithm", "downpour", "downpour"},
      {"history", "7", 7},
      {"tolerance", "1e-6", 1e-6},
      {"max-evaluations", "9", 9},
      {"portions", "32", 32},
      {"backup-portions", "2", 2},
      {"freeze", nullptr, true},
      {"local-steps", "6", 6},
      {"outer", "nesterov", "nesterov"},
      {"outer-learning-rate", "0.5", 0.5},
      {"outer-momentum", "0.8", 0.8},
      {"fetch-every", "2", 2},
      {"push-every", "3", 3},
      {"max-staleness", "-1", -1},
      {"staleness", "4", 4},
      {"warm-start", "5", 5},
      {"record", "rec", "rec"},
      {"replay", "old", "old"},
      {"listen", "10.0.0.1:7070", "10.0.0.1:7070"},
      {"nodes", "2:3", "2:3"},
      {"certs", "certs/driver", "certs/driver"},
      {"shared-certs", nullptr, true},
      {"streams", "2", 2},
      {"store-bytes", "18446744073709551615", 18446744073709551615U},
      {"data-memory", "500M", 500'000'000},
      {"data-cache", "/tmp/cache,5G", "/tmp/cache,5G"},
      {"shards", "4", 4},
      {"seed", "7", 7},
      {"precision", "bf16", "bf16"},
      {"no-precision-check", nullptr, true},
      {"load", "with space", "with space"},
      {"copy-every", "5", 5},
      {"max-failures", "3", 3},
      {"device", "cuda:1", "cuda:1"},
      {"tf32", nullptr, true},
      {"restart", "redistribute", "redistribute"},
      {"backup-workers", "1", 1},
      {"fault", "full disk at step 5", "full disk at step 5"},
      {"step-timeout", "1.5", 1.5},
      {"start-timeout", "2", 2},
      {"evaluate-timeout", "3", 3},
      {"save-timeout", "4.5", 4.5},
      {"suspect-after", "0", 0},
      {"cut-after", "0", 0},
      {"checkpoint", "5", "5"},
      {"checkpoint-every", "500", "500"},
      {"keep", "2", 2},
      {"keep-best", "loss", "loss"},
      {"resume", nullptr, true},
      {"reshard", nullptr, true},
      {"optimizer", "adam", "adam"},
      {"learning-rate", "1e-300", 1e-300},
      {"momentum", "0.1", 0.1},
      {"nesterov", nullptr, true},
      {"weight-decay", "0.0005", 0.0005},
      {"clip-norm", "inf", "inf"},
      {"group", "a:b*:weight_decay=0,learning_rate_factor=0.5", groups},
      {"schedule", "step", "step"},
      {"warmup-steps", "5", 5},
      {"schedule-steps", "6", 6},
      {"schedule-gamma", "0.5", 0.5},
      {"schedule-total", "7", 7},
      {"schedule-decay", "3", 3},
      {"steps", "9", 9},
      {"evaluate-every", "2e", "2e"},
      {"epochs", "3", 3},
      {"report", "r.jsonl", "r.jsonl"},
      {"log", "csv:s.csv,progress", json::array({"csv:s.csv,progress"})},
      {"hash", nullptr, true},
      {"profile", nullptr, true},
      {"save", "w\xc3\xa4.safetensors", "w\xc3\xa4.safetensors"},
      {"verbose", nullptr, true},
      {"quiet", nullptr, true},
  };
  return all;
}

/// Returns a command line with all options except two.
std::vector<std::string> all_but(const std::string& one, const std::string& other) {
  std::vector<std::string> words{"train"};
  for (const Example& each : examples()) {
    if (each.option == one || each.option == other) continue;
    words.push_back(std::string("--") + each.option);
    if (each.text != nullptr) words.emplace_back(each.text);
  }
  return words;
}

std::string printed(const std::vector<std::string>& arguments) {
  const Finished run = run_program(joined(arguments, {"--print-config"}));
  INFO(run.err);
  REQUIRE(run.status == 0);
  CHECK(run.err.empty());
  return run.out;
}

/// Reads a printed configuration and returns the configuration that the program prints then.
std::string printed_again(const std::string& config, const std::vector<std::string>& more = {}) {
  const TemporaryFolder folder;
  write_file(folder / "config.json", config);
  return printed(joined({"train", "--config", folder / "config.json"}, more));
}

}  // namespace

TEST_CASE("the tests have an example of each option of train") {
  CLI::App app;
  int status = 0;
  troupe::cli::add_train(app, status);
  const CLI::App& train = *app.get_subcommand("train");
  std::size_t configurable = 0;
  for (const CLI::Option* option : train.get_options()) {
    if (troupe::cli::key_of(*option).empty()) continue;
    ++configurable;
    const auto fits = [&](const Example& each) { return each.option == option->get_lnames().front(); };
    CHECK_MESSAGE(std::ranges::count_if(examples(), fits) == 1, option->get_name());
  }
  CHECK(configurable == examples().size());
}

TEST_CASE(
    "each option of a command line is in the printed configuration, and reading that configuration prints it again") {
  for (const auto& [one, other] : {std::pair("epochs", "quiet"), std::pair("steps", "verbose")}) {
    const std::string config = printed(all_but(one, other));
    const json read = json::parse(config);
    for (const Example& each : examples()) {
      CAPTURE(each.option);
      std::string key = each.option;
      std::ranges::replace(key, '-', '_');
      if (std::string(each.option) == one) {
        CHECK_FALSE(read.contains(key));
      } else {
        CHECK(read.value(key, json()) == (std::string(each.option) == other ? json(false) : each.value));
      }
    }
    CHECK(printed_again(config) == config);
  }
}

TEST_CASE("a printed configuration has defaults that depend on other options, and the command line overrides it") {
  const std::string config = printed({"train"});
  const json read = json::parse(config);
  CHECK(read["learning_rate"] == 0.05);
  CHECK(read["momentum"] == 0.9);
  CHECK(read["workers"] == 2);
  CHECK(read["quiet"] == false);
  for (const char* unsaid : {"steps", "epochs", "batch_size", "data", "report", "keep"})
    CHECK_FALSE(read.contains(unsaid));
  CHECK(printed_again(config) == config);
  CHECK(json::parse(printed_again(config, {"--steps", "5"}))["steps"] == 5);

  const std::vector<std::string> seed{"train", "--momentum", "0.5", "--model", "tfbench"};
  CHECK(json::parse(printed(seed))["learning_rate"] == 1e-6);
  CHECK(json::parse(printed(seed))["momentum"] == 0.5);
  CHECK(json::parse(printed({"train", "--optimizer", "sgd", "--model", "tfbench"}))["momentum"] == 0);
  const std::string adam = printed({"train", "--optimizer", "adam"});
  CHECK(json::parse(adam)["momentum"] == 0);
  CHECK(printed_again(adam) == adam);
  const std::string diloco = printed({"train", "--algorithm", "local", "--outer", "nesterov"});
  CHECK(json::parse(diloco)["optimizer"] == "adamw");
  CHECK(json::parse(diloco)["learning_rate"] == 0.001);
  CHECK(printed_again(diloco) == diloco);
  CHECK(json::parse(printed({"train", "--outer", "nesterov"}))["optimizer"] == "sgd");
}

TEST_CASE("a nested configuration of versions before 1.0 keeps its meaning, and groups may be objects or texts") {
  const std::string expected = printed({"train", "--optimizer", "adam", "--learning-rate", "0.5", "--checkpoint", "run",
                                        "--keep", "2", "--group", "*.bias:weight_decay=0"});
  for (const char* config :
       {R"({"optimizer": {"kind": "adam", "learning_rate": 0.5, "groups": [{"pattern": "*.bias", "weight_decay": 0}]},
            "checkpoint": {"folder": "run", "keep": 2}})",
        R"({"optimizer": "adam", "learning-rate": 0.5, "checkpoint": "run", "keep": 2,
            "group": "*.bias:weight_decay=0"})",
        R"({"optimizer": "adam", "learning_rate": 0.5, "checkpoint": {"folder": "run"}, "keep": "2",
            "optimizer.groups": [{"weight_decay": 0.0, "pattern": "*.bias", "learning_rate_factor": 1}]})"})
    CHECK_MESSAGE(printed_again(config) == expected, config);
}

TEST_CASE("a flag accepts an explicit value") {
  for (const char* yes : {"--nesterov", "--nesterov=1", "--nesterov=on", "--nesterov=true"})
    CHECK_MESSAGE(json::parse(printed({"train", "--momentum", "0.9", yes}))["nesterov"] == true, yes);
  CHECK(json::parse(printed({"train", "--nesterov=0"}))["nesterov"] == false);
  CHECK(json::parse(printed({"train", "--no-precision-check"}))["precision_check"] ==
        json::parse(printed({"train", "--no-precision-check=1"}))["precision_check"]);
}

TEST_CASE("all commands print their configuration, and their help mentions it") {
  const json read = json::parse(printed({"evaluate", "--load", "w"}));
  CHECK(read["load"] == "w");
  CHECK(json::parse(printed({"node", "--join", "a:1", "--certs", "c"})) ==
        json{{"join", "a:1"}, {"certs", "c"}, {"store_bytes", 0}, {"cut_after", 5}, {"once", false}});
  for (const std::vector<std::string>& command : std::vector<std::vector<std::string>>{{"train"},
                                                                                       {"evaluate"},
                                                                                       {"diff"},
                                                                                       {"node"},
                                                                                       {"nodes"},
                                                                                       {"launch"},
                                                                                       {"certs", "init"},
                                                                                       {"checkpoint", "list"}}) {
    const std::string help = run_program(joined(command, {"--help"})).out;
    CHECK_MESSAGE(help.find("--config FILE") != std::string::npos, help);
    CHECK(help.find("--print-config") != std::string::npos);
  }
}

TEST_CASE("a wrong command line prints the error instead of the configuration") {
  check_refused({"train", "--print-config", "--learnig-rate", "1"}, {"did you mean '--learning-rate'?"});
  check_refused({"train", "--learning-rate", "x", "--print-config"}, {"--learning-rate"});
  check_refused({"train", "extra", "--print-config"}, {"extra"});
  check_refused({"evaluate", "--print-config"}, {"--load"});
}

TEST_CASE("tune prints its own options and those of its trials without searching") {
  const TemporaryFolder folder;
  write_file(folder / "space.json", R"({"learning_rate": {"loguniform": [1e-4, 1]}})");
  const std::string printed_config = printed({"tune", "--space", folder / "space.json", "--model", "mlp", "--epochs=3",
                                              "--nesterov", "--group", "*.bias:weight_decay=0", "--samples", "2"});
  const json read = json::parse(printed_config);
  CHECK(read["samples"] == 2);
  CHECK(read["model"] == "mlp");
  CHECK(read["epochs"] == 3);
  CHECK(read["nesterov"] == true);
  CHECK(read["group"][0]["pattern"] == "*.bias");
  CHECK_FALSE(read.contains("learning_rate"));
  write_file(folder / "config.json", printed_config);
  CHECK(json::parse(printed({"tune", "--config", folder / "config.json"})) == read);
  CHECK(run_program({"tune", "--space", folder / "space.json", "--nonsense", "--print-config"}).status == 2);
}
