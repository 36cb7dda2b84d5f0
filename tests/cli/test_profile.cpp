#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "cli/profile.hpp"
#include "cli/run_program.hpp"
#include "cli/small_data.hpp"

using namespace troupe_test;
using namespace troupe::cli;
using nlohmann::json;
using troupe::LayerTime;
using troupe::testing::read_file;
using troupe::testing::TemporaryFolder;
using troupe::testing::write_file;

namespace {

constexpr const char* kSentence = "no profile: linear does not measure its time\n";
constexpr const char* kNotice = "troupe: the model does not support bf16 on this machine; computing in f32\n";

std::vector<LayerTime> some_times() {
  return {{"relu", 2, 0.25, 0.25, 0, 0}, {"convolution", 100, 1, 2, 50e9, 200e9}, {"idle", 1, 0, 0, 0, 1e9}};
}

}  // namespace

TEST_CASE("a profile lists the most expensive kind of layer first and the sum last") {
  CHECK(profile_table(profile_rows(some_times())) ==
        "layer        layers  forward s  backward s  forward GFLOP/s  backward GFLOP/s    share\n"
        "convolution     100      1.000       2.000             50.0             100.0   85.7 %\n"
        "relu              2      0.250       0.250                -                 -   14.3 %\n"
        "idle              1      0.000       0.000                -                 -    0.0 %\n"
        "all             103      1.250       2.250             40.0              89.3  100.0 %\n");
  std::vector<LayerTime> with_copies = some_times();
  with_copies.insert(with_copies.begin(),
                     {.kind = "copies", .forward_seconds = 1, .backward_seconds = 2.5, .beside = true});
  const auto rows = profile_rows(with_copies);
  REQUIRE(rows.size() == 5);
  CHECK(rows[3].forward_seconds == 1.25);
  CHECK(rows[4].kind == "copies");
  CHECK(rows[4].share == 1);
  CHECK(profile_rows({}).empty());
  CHECK(profile_rows({{"idle", 1, 0, 0, 0, 0}}).at(0).share == 0);
}

TEST_CASE("the report has the figures of the table") {
  const json rows = profile_json(profile_rows(some_times()));
  REQUIRE(rows.size() == 4);
  CHECK(rows[0] == json{{"kind", "convolution"},
                        {"layers", 100},
                        {"forward_seconds", 1.0},
                        {"backward_seconds", 2.0},
                        {"forward_gflops_per_second", 50.0},
                        {"backward_gflops_per_second", 100.0},
                        {"share", 3 / 3.5},
                        {"beside", false}});
  CHECK(rows[3].at("kind") == "all");
  CHECK(rows[3].at("share") == 1.0);
}

TEST_CASE("layer times survive a conversion to text exactly") {
  const std::vector<LayerTime> times{{"batch \"norm\"", 3, 0.1, 1e-300, 1.0 / 3, 4e15}};
  const auto back = read_layer_times(layer_times_json(times));
  REQUIRE(back.size() == 1);
  CHECK(back[0].kind == times[0].kind);
  CHECK(back[0].layers == 3);
  CHECK(back[0].forward_seconds == 0.1);
  CHECK(back[0].backward_seconds == 1e-300);
  CHECK(back[0].forward_flops == 1.0 / 3);
  CHECK(back[0].backward_flops == 4e15);
}

TEST_CASE("--profile with a model that measures nothing prints a message") {
  const TemporaryFolder folder;
  const std::string report = folder / "report.jsonl";
  for (const char* placement : {"in-process", "processes"}) {
    const Finished run =
        run_program(train_linear({"--steps", "2", "--profile", "--report", report, "--placement", placement}));
    CHECK_MESSAGE(run.status == 0, run.err);
    CHECK_MESSAGE(run.out.find(kSentence) != std::string::npos, run.out);
    const auto lines = lines_of(read_file(report));
    REQUIRE(lines.size() == 3);
    CHECK(json::parse(lines[1]).at("step") == 2);
    CHECK(json::parse(lines[2]) == json{{"profile", json::array()}});
  }
  CHECK(run_program(train_linear({"--steps", "2"})).out.find("profile") == std::string::npos);
}

TEST_CASE("the profile of a network is a table before the last line") {
  const TemporaryFolder folder;
  const Finished run = run_program({"train", "--model", "cnn", "--data", write_npy(folder), "--steps", "2",
                                    "--batch-size", "4", "--profile", "--quiet"});
  CHECK_MESSAGE(run.status == 0, run.err);
  const auto lines = lines_of(run.out);
  REQUIRE(lines.size() > 5);
  CHECK(lines.front() == "time of the first replica:");
  for (const char* kind : {"convolution 3x3 + max-pooling", "linear", "all"})
    CHECK_MESSAGE(std::ranges::any_of(lines, [&](const auto& line) { return line.starts_with(kind); }), run.out);
  CHECK(lines.back().starts_with("weights sha256 "));
}

TEST_CASE("a fallback from bf16 to f32 is reported once on standard error and in the report") {
  const TemporaryFolder folder;
  const std::string report = folder / "report.jsonl";
  const std::string config = folder / "config.json";
  write_file(config, R"({"precision": "bf16"})");
  for (const std::vector<std::string>& asked :
       {std::vector<std::string>{"--precision", "bf16"}, {"--config", config}, {"--precision=bf16", "--verbose"}})
    for (const char* placement : {"in-process", "processes"}) {
      const Finished run =
          run_program(joined(train_linear({"--steps", "2", "--report", report, "--placement", placement}), asked));
      CHECK_MESSAGE(run.status == 0, run.err);
      CHECK(run.err == kNotice);
      CHECK(run.out.find(", f32, 2 steps") != std::string::npos);
      CHECK(json::parse(lines_of(read_file(report)).at(0)).at("precision") == "f32");
    }
  CHECK(run_program(train_linear({"--steps", "2", "--config", config, "--precision", "f32"})).err.empty());
}

TEST_CASE("the precision of a network and its reason are printed and reported") {
  const TemporaryFolder folder;
  const std::string report = folder / "report.jsonl";
  const std::string data = write_npy(folder);
  const auto train = [&](const std::vector<std::string>& more) {
    return run_program(joined({"train", "--model", "cnn", "--data", data, "--steps", "1", "--batch-size", "4",
                               "--precision", "bf16", "--report", report},
                              more));
  };
  const auto reported = [&] { return json::parse(lines_of(read_file(report)).at(0)).at("precision"); };
  CHECK(train({"--no-precision-check"}).status == 0);
  const bool has_bf16 = reported() == "bf16";
  const Finished run = train({});
  CHECK_MESSAGE(run.status == 0, run.err);
  const bool gains = run.out.find(", bf16 (") != std::string::npos;
  CHECK(reported() == (gains ? "bf16" : "f32"));
  CHECK(run.err.empty() == gains);
  const bool loses = run.out.find(", f32 (bf16 takes ") != std::string::npos;
  CHECK((gains || loses) == has_bf16);
}
