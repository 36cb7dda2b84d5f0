#include <doctest/doctest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>

#include "cli/run_program.hpp"
#include "cli/small_data.hpp"
#include "cli/train/run/epoch.hpp"
#include "cli/train/run/progress.hpp"

using namespace troupe_test;
using nlohmann::json;
using troupe::testing::read_file;
using troupe::testing::TemporaryFolder;

namespace {

std::vector<json> report_of(const std::vector<std::string>& arguments) {
  const TemporaryFolder folder;
  const Finished run = run_program(joined(arguments, {"--report", folder / "report.jsonl"}));
  REQUIRE_MESSAGE(run.status == 0, run.err);
  CHECK(run.err.empty());
  std::vector<json> lines;
  for (const std::string& line : lines_of(read_file(folder / "report.jsonl"))) {
    CHECK((line.starts_with(R"({"step":)") || line.starts_with(R"({"epoch":)")));
    lines.push_back(json::parse(line));
  }
  return lines;
}

}  // namespace

TEST_CASE("a cosine schedule ends at the last step by default") {
  const TemporaryFolder folder;
  write_fashion(folder);  // 50 samples: 5 steps per epoch
  const std::vector<std::string> train{
      "train",        "--model", "softmax",  "--data", "fashion-mnist:" + folder.path().string(),
      "--batch-size", "5",       "--epochs", "3",      "--learning-rate",
      "0.5",          "--quiet"};
  const auto rate = [&](std::vector<std::string> more, const std::string& schedule = "cosine") {
    more.insert(more.end(), {"--schedule", schedule});
    return report_of(joined(train, more)).back().at("learning_rate").get<double>();
  };
  const auto cosine = [](double done) { return 0.5 * (1 + std::cos(done * std::numbers::pi)) / 2; };
  CHECK(rate({}) == doctest::Approx(cosine(14.0 / 15)));
  CHECK(rate({"--warmup-steps", "5"}) == doctest::Approx(cosine(9.0 / 10)));
  CHECK(rate({"--schedule-total", "28"}) == doctest::Approx(cosine(0.5)));
  CHECK(rate({}, "linear") == doctest::Approx(0.5 / 15));
  CHECK(rate({"--schedule-decay", "4"}, "wsd") == doctest::Approx(0.5 / 4));
}

TEST_CASE("a report has a line for each epoch after its last step") {
  const TemporaryFolder folder;
  write_fashion(folder);  // 50 samples: 5 steps per epoch
  for (const std::vector<std::string>& more : {std::vector<std::string>{}, {"--quiet"}}) {
    const auto lines =
        report_of(joined({"train", "--model", "softmax", "--data", "fashion-mnist:" + folder.path().string(),
                          "--batch-size", "5", "--epochs", "3", "--learning-rate", "0.5", "--schedule", "step",
                          "--schedule-steps", "10", "--schedule-gamma", "0.5"},
                         more));
    REQUIRE(lines.size() == 18);
    for (int epoch = 1; epoch <= 3; ++epoch) {
      CAPTURE(epoch);
      const json& line = lines[static_cast<std::size_t>(6 * epoch - 1)];
      CHECK(line.at("epoch") == epoch);
      CHECK(line.at("step") == 5 * epoch);
      CHECK(line.at("samples") == 50);
      CHECK(line.at("learning_rate") == (epoch < 3 ? 0.5 : 0.25));  // of the steps from the 11th on
      CHECK(line.at("test").at("samples") == 20);
      CHECK(line.at("test").at("loss") > 0);
      CHECK(line.at("samples_per_second").get<double>() == doctest::Approx(50 / line.at("seconds").get<double>()));
      double loss = 0;
      for (int step = 0; step < 5; ++step)
        loss += lines[static_cast<std::size_t>(6 * (epoch - 1) + step)].at("loss").get<double>() / 5;
      CHECK(line.at("loss").get<double>() == doctest::Approx(loss));
    }
    CHECK(lines.back().at("test").at("accuracy") == 1);
  }
}

TEST_CASE("without a test set epochs have no evaluation and no message about it") {
  const auto lines = report_of(train_linear({"--epochs", "2"}));  // 10 steps per epoch
  REQUIRE(lines.size() == 22);
  CHECK(lines[10].at("epoch") == 1);
  CHECK(lines[10].at("test").is_null());
  const Finished run = run_program(train_linear({"--epochs", "2"}));
  CHECK(run.err.empty());
  CHECK(run.out.find("epoch 2: ") != std::string::npos);
  CHECK(run.out.find("accuracy") == std::string::npos);
}

TEST_CASE("reports with epochs are compared by steps") {
  const TemporaryFolder folder;
  for (const char* workers : {"1", "2"})
    CHECK(run_program(train_linear({"--epochs", "2", "--shards", "2", "--workers", workers, "--hash", "--report",
                                    folder / workers}))
              .status == 0);
  CHECK(run_program({"diff", folder / "1", folder / "2"}).out == "20 steps, all identical\n");
}

TEST_CASE("an evaluation of data without a test set measures the training data") {
  const TemporaryFolder folder;
  const std::string weights = folder / "w.safetensors";
  REQUIRE(run_program(train_linear({"--steps", "1", "--save", weights})).status == 0);
  const Finished run = run_program({"evaluate", "--model", "linear", "--data", "synthetic-linear", "--load", weights});
  CHECK(run.status == 0);
  CHECK(run.out.starts_with("test loss "));
}

TEST_CASE("the remaining time is printed like a clock") {
  using troupe::cli::clock_text;
  CHECK(clock_text(0) == "0:00");
  CHECK(clock_text(7.4) == "0:07");
  CHECK(clock_text(59.6) == "1:00");
  CHECK(clock_text(760) == "12:40");
  CHECK(clock_text(3600) == "1:00:00");
  CHECK(clock_text(2 * 3600 + 5 * 60 + 9) == "2:05:09");
  CHECK(clock_text(1e9) == "277777:46:40");
}

TEST_CASE("the loss of an epoch is the mean over its samples") {
  troupe::cli::EpochTally tally;
  CHECK(tally.end().loss == 0);
  tally.add({.loss = 1, .samples = 30});
  tally.add({.loss = 4, .samples = 10});
  CHECK(tally.end().loss == 1.75);
  CHECK(tally.end().samples == 40);
}
