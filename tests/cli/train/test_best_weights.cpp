#include <doctest/doctest.h>
#include <signal.h>
#include <sys/resource.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "cli/refused.hpp"
#include "support/text.hpp"

using namespace troupe_test;
using namespace troupe::testing;
using nlohmann::json;

namespace {

/// Trains a softmax regression with a learning rate that rises and falls.
std::vector<std::string> train(const TemporaryFolder& folder, const std::vector<std::string>& more) {
  write_fashion(folder, 200, 60);
  return joined({"train", "--model", "softmax", "--data", "fashion-mnist:" + folder.path().string(), "--batch-size",
                 "5", "--workers", "1", "--learning-rate", "3", "--epochs", "3"},
                more);
}

std::vector<json> report_of(const std::string& path) {
  std::vector<json> lines;
  for (const std::string& line : lines_of(read_file(path))) lines.push_back(json::parse(line));
  return lines;
}

double accuracy_of(const TemporaryFolder& folder, const std::string& weights) {
  const Finished run =
      run_program({"evaluate", "--load", weights, "--data", "fashion-mnist:" + folder.path().string(), "--json"});
  INFO(run.err);
  REQUIRE(run.status == 0);
  return json::parse(run.out).at("accuracy").get<double>();
}

}  // namespace

TEST_CASE("--save with --keep-best writes the best weights of all evaluations with and without checkpoints") {
  const TemporaryFolder folder;
  const std::string weights = folder / "best.safetensors";
  for (const bool checkpoints : {false, true}) {
    CAPTURE(checkpoints);
    auto words = train(folder, {"--evaluate-every", "7", "--keep-best", "accuracy", "--save", weights, "--report",
                                folder / "r.jsonl"});
    if (checkpoints) words.insert(words.end(), {"--checkpoint", folder / "run"});
    const Finished run = run_program(words);
    INFO(run.err);
    REQUIRE(run.status == 0);
    double best = 0;
    std::int64_t step = 0;
    for (const json& line : report_of(folder / "r.jsonl")) {
      const bool measured = line.contains("evaluation");
      if (!measured && !(line.contains("epoch") && !line.at("test").is_null())) continue;
      const json& found = measured ? line.at("evaluation") : line.at("test");
      if (found.at("accuracy").get<double>() <= best) continue;
      best = found.at("accuracy");
      step = measured ? found.at("step") : line.at("step");
    }
    char text[100];
    std::snprintf(text, sizeof text, "best weights saved to %s: accuracy %.4f, after step %lld\n", weights.c_str(),
                  best, static_cast<long long>(step));
    CHECK_MESSAGE(contains(run.out, text), run.out);
    CHECK(accuracy_of(folder, weights) == doctest::Approx(best));
    std::snprintf(text, sizeof text, "test accuracy %.4f\n", best);
    CHECK_MESSAGE(contains(run.out.substr(run.out.find("best weights saved")), text), run.out);
  }
  check_refused(train_linear({"--steps", "5", "--keep-best", "loss"}), {"--keep-best needs --save"});
}

TEST_CASE("logs of a run that returns to its best weights are ordered by step") {
  const TemporaryFolder folder;
  const Finished run = run_program(train(folder, {"--evaluate-every", "7", "--keep-best", "accuracy", "--save",
                                                  folder / "w", "--log", "json:" + (folder / "log")}));
  INFO(run.err);
  REQUIRE(run.status == 0);
  std::map<std::int64_t, int> evaluations;
  for (const json& line : report_of(folder / "log"))
    if (line.at("event") == "report" && line.at("metrics").contains("test_accuracy"))
      ++evaluations[line.at("iteration")];
  CHECK(evaluations.size() > 3);
  for (const auto& [step, times] : evaluations) CHECK_MESSAGE(times == 1, "step " << step);
}

TEST_CASE("--evaluate-every accepts steps or epochs, and steps report their training accuracy") {
  const TemporaryFolder folder;
  const auto measured_at = [&](const std::string& every) {
    const Finished run =
        run_program(train(folder, {"--evaluate-every", every, "--report", folder / "r.jsonl", "--quiet"}));
    INFO(run.err);
    REQUIRE(run.status == 0);
    std::vector<int> steps;
    std::int64_t correct = 0;
    for (const json& line : report_of(folder / "r.jsonl")) {
      if (line.contains("evaluation")) steps.push_back(line.at("evaluation").at("step"));
      if (line.contains("epoch") && !line.at("test").is_null()) steps.push_back(line.at("step"));
      if (line.contains("correct")) correct += line.at("correct").get<std::int64_t>();
      if (!line.contains("epoch")) continue;
      CHECK(line.at("accuracy").get<double>() == doctest::Approx(static_cast<double>(correct) / 200));
      correct = 0;
    }
    return steps;
  };
  CHECK(measured_at("1e") == std::vector<int>{40, 80, 120});
  CHECK(measured_at("2e") == std::vector<int>{80});
  CHECK(measured_at("30") == std::vector<int>{30, 60, 90, 120});
  CHECK(run_program({"report", folder / "r.jsonl", "--html", folder / "r.html"}).status == 0);
  CHECK(contains(read_file(folder / "r.html"), "Evaluations between epochs"));
  for (const char* const wrong : {"", "0", "-1", "e", "2x", "1.5e"})
    check_refused(train(folder, {"--evaluate-every", wrong}), {"--evaluate-every"});
}

TEST_CASE("--save refuses the file of the run's report") {
  const TemporaryFolder folder;
  check_refused(train_linear({"--steps", "1", "--report", folder / "one", "--save", folder / "./one"}),
                {"another file of this run"});
}

TEST_CASE("a full disk stops the record after a complete line but does not lose the weights") {
  const TemporaryFolder folder;
  const std::string weights = folder / "w.safetensors";
  const auto record = [&](const std::string& path, const std::function<void()>& limit) {
    std::filesystem::remove(weights);
    const Finished run = run_program(
        train_linear({"--algorithm", "downpour", "--steps", "4000", "--quiet", "--record", path, "--save", weights}),
        {.limit = limit});
    INFO(run.err);
    CHECK(run.status == 1);
    CHECK(contains(run.out, "weights sha256 "));
    CHECK(contains(run.err, "the run continues without the record"));
    CHECK(lines_of(run.err).size() == 1);
    CHECK(std::filesystem::exists(weights));
  };
  record("/dev/full", {});
  record(folder / "record", [] {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit most{200'000, 200'000};
    ::setrlimit(RLIMIT_FSIZE, &most);
  });
  const std::string text = read_file(folder / "record");
  CHECK(text.size() > 100'000);
  CHECK(text.ends_with("\n"));
  for (const std::string& line : lines_of(text)) CHECK(json::accept(line));
}
