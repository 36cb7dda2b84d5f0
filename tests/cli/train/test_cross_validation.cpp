#include <doctest/doctest.h>
#include <signal.h>

#include <cmath>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>

#include "cli/refused.hpp"
#include "cli/run_program.hpp"
#include "cli/small_data.hpp"
#include "support/text.hpp"

using namespace troupe_test;
using nlohmann::json;
using troupe::testing::read_file;
using troupe::testing::TemporaryFolder;

namespace {

using Metrics = std::map<std::string, double>;

/// Trains on 50 images, five per class.
std::vector<std::string> train_mlp(const TemporaryFolder& folder, const std::vector<std::string>& more) {
  return joined({"train", "--model", "mlp", "--data", "fashion-mnist:" + folder.path().string(), "--batch-size", "10",
                 "--epochs", "2", "--learning-rate", "0.05"},
                more);
}

std::string output_of(const std::vector<std::string>& arguments) {
  const Finished run = run_program(arguments);
  REQUIRE_MESSAGE(run.status == 0, run.err);
  CHECK(run.err.empty());
  return run.out;
}

/// Returns the metrics of each fold, parsed from lines such as "fold 1 of 3: loss 2.1, accuracy 0.5".
std::vector<Metrics> folds_in(const std::string& out) {
  std::vector<Metrics> folds;
  for (const std::string& line : lines_of(out)) {
    std::smatch told;
    if (!std::regex_match(line, told, std::regex("fold ([0-9]+) of [0-9]+: (loss .*)"))) continue;
    CHECK(std::stoul(told[1]) == folds.size() + 1);
    const std::string rest = told[2];
    const std::regex each("([A-Za-z0-9-]+) (-?[0-9.e-]+)(, |$)");
    Metrics metrics;
    for (std::sregex_iterator found(rest.begin(), rest.end(), each), end; found != end; ++found)
      metrics[(*found)[1]] = std::stod((*found)[2]);
    folds.push_back(metrics);
  }
  return folds;
}

/// Checks that the last lines contain the means and deviations of the folds' metrics.
void check_means(const std::vector<std::string>& lines, const std::vector<Metrics>& folds) {
  REQUIRE(lines.size() >= folds.at(0).size());
  for (std::size_t i = lines.size() - folds[0].size(); i < lines.size(); ++i) {
    std::smatch told;
    REQUIRE_MESSAGE(std::regex_match(lines[i], told, std::regex("validation (\\S+): mean (\\S+), deviation (\\S+)")),
                    lines[i]);
    const auto count = static_cast<double>(folds.size());
    double sum = 0;
    double squares = 0;
    for (const Metrics& fold : folds) sum += fold.at(told[1]);
    for (const Metrics& fold : folds) squares += std::pow(fold.at(told[1]) - sum / count, 2);
    CHECK(std::stod(told[2]) == doctest::Approx(sum / count).epsilon(1e-5));
    CHECK(std::stod(told[3]) == doctest::Approx(std::sqrt(squares / (count - 1))).epsilon(1e-3));
  }
}

}  // namespace

TEST_CASE("a cross-validation prints the metrics of each fold with mean and deviation") {
  const TemporaryFolder folder;
  write_fashion(folder);
  const std::vector<std::string> metric{"--metric", "brier-score"};
  const std::string out = output_of(train_mlp(folder, joined(metric, {"--cross-validate", "3"})));
  const auto folds = folds_in(out);
  REQUIRE(folds.size() == 3);
  for (const Metrics& fold : folds) CHECK(fold.size() == 3);
  CHECK(folds[0].at("loss") != folds[1].at("loss"));
  check_means(lines_of(out), folds);
  // Each fold equals a separate run on that fold.
  const std::string alone = output_of(train_mlp(folder, joined(metric, {"--validate", "fold:2/3", "--quiet"})));
  const auto lines = lines_of(alone);
  std::smatch loss;
  REQUIRE(std::regex_match(lines[0], loss, std::regex("validation loss (.*)")));
  CHECK(std::stod(loss[1]) == doctest::Approx(folds[1].at("loss")).epsilon(1e-5));
  const std::string data = "fold:2/3:fashion-mnist:" + folder.path().string();
  CHECK(output_of(train_mlp(folder, joined(metric, {"--data", data, "--quiet"}))) == alone);
}

TEST_CASE("a cross-validation has the same results for any number of workers and any placement") {
  const TemporaryFolder folder;
  write_fashion(folder);
  const auto of = [&](const char* workers, const char* placement) {
    return output_of(train_mlp(
        folder, {"--cross-validate", "2", "--shards", "4", "--workers", workers, "--placement", placement, "--quiet"}));
  };
  const std::string one = of("1", "in-process");
  CHECK(lines_of(one).size() == 2);
  CHECK(of("2", "in-process") == one);
  CHECK(of("4", "in-process") == one);
  CHECK(of("2", "processes") == one);
}

TEST_CASE("a cross-validation on targets reports R2") {
  const std::string out = output_of(train_linear({"--epochs", "2", "--cross-validate", "4"}));
  const auto folds = folds_in(out);
  REQUIRE(folds.size() == 4);
  for (const Metrics& fold : folds) CHECK(fold.at("R2") > 0);
  check_means(lines_of(out), folds);
  const std::string quiet = output_of(train_linear({"--epochs", "2", "--cross-validate", "4", "--quiet"}));
  CHECK(lines_of(quiet).size() == 2);
  check_means(lines_of(quiet), folds);
}

TEST_CASE("a cross-validation writes one report and one log for each fold") {
  const TemporaryFolder folder;
  output_of(train_linear({"--steps", "10", "--cross-validate", "2", "--quiet", "--report", folder / "r.jsonl", "--hash",
                          "--log", "csv:" + (folder / "s.csv") + ",tensorboard:" + (folder / "runs")}));
  std::vector<std::string> reports;
  for (const char* fold : {"1", "2"}) {
    const std::string name = std::string("-fold-") + fold;
    reports.push_back(read_file(folder / ("r" + name + ".jsonl")));
    CHECK(json::parse(lines_of(reports.back()).back()).at("epoch") == 2);
    CHECK(lines_of(read_file(folder / ("s" + name + ".csv"))).size() > 10);
    CHECK(std::filesystem::is_directory(folder / (std::string("runs/fold-") + fold)));
  }
  CHECK(lines_of(reports[0]).at(0) != lines_of(reports[1]).at(0));
  CHECK_FALSE(std::filesystem::exists(folder / "r.jsonl"));
}

TEST_CASE("a cross-validation refuses options for a single run and data that cannot be split") {
  const TemporaryFolder folder;
  const auto refused = [&](const std::vector<std::string>& more, const std::vector<std::string>& named) {
    check_refused(train_linear(joined({"--cross-validate", "2", "--steps", "3"}, more)), named);
  };
  refused({"--validate", "0.1"}, {"invalid_argument", "no --validate"});
  refused({"--checkpoint", folder / "run"}, {"invalid_argument", "--checkpoint is for one run"});
  refused({"--checkpoint", folder / "run", "--resume", "--keep-best", "loss"}, {"--checkpoint is for one run"});
  refused({"--save", folder / "w"}, {"invalid_argument", "--save is for one run"});
  refused({"--algorithm", "downpour", "--record", folder / "record"}, {"--record is for one run"});
  refused({"--patience", "2"}, {"invalid_argument", "--validate"});
  refused({"--data", "fold:1/2:synthetic-linear"}, {"--data 'fold:1/2:synthetic-linear' is a fold"});
  refused({"--log", "cvs:s.csv"}, {"'cvs:s.csv' is not a log"});
  refused({"--cross-validate", "1"}, {"invalid_argument", "whole number from 2 on"});
  refused({"--cross-validate", "1001"}, {"invalid_argument", "1001 folds are impossible for 1000 samples"});
  refused({"--report", folder / "none/r"}, {"bad_file", "none/r-fold-1"});
  CHECK(std::filesystem::is_empty(folder.path()));
}

TEST_CASE("an interrupted cross-validation ends after the current step and names the fold") {
  const TemporaryFolder folder;
  Program program(train_linear({"--steps", "1000000000", "--batch-size", "0", "--cross-validate", "3", "--log",
                                "progress", "--report", folder / "r"}));
  REQUIRE(program.prints("iteration 1:"));
  ::kill(program.pid(), SIGINT);
  const Finished stopped = program.finish();
  CHECK(stopped.status == 130);
  CHECK(stopped.err.empty());
  CHECK(matches(lines_of(stopped.out).back(),
                "stopped by an interrupt after step [0-9]+ of fold 1 of 3; a cross-validation cannot be resumed"));
  CHECK(read_file(folder / "r-fold-1").ends_with('\n'));
  CHECK_FALSE(std::filesystem::exists(folder / "r-fold-2"));
}
