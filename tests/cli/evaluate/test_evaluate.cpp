#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "cli/evaluate/evaluation_table.hpp"
#include "cli/run_program.hpp"
#include "cli/small_data.hpp"

using namespace troupe_test;
using namespace troupe::cli;
using namespace troupe::testing;
using nlohmann::json;
using troupe::ClassMetrics;
using troupe::Evaluation;

namespace {

/// A folder with small data and a model trained on the data.
struct Evaluated {
  TemporaryFolder folder;
  std::string data = "fashion-mnist:" + folder.path().string();
  std::string weights = folder / "mlp.safetensors";

  Evaluated() {
    write_fashion(folder, 100, 20);
    train({"--data", data});
  }

  void train(const std::vector<std::string>& more) const {
    const Finished run = run_program(
        joined({"train", "--model", "mlp", "--epochs", "2", "--batch-size", "10", "--save", weights}, more));
    REQUIRE_MESSAGE(run.status == 0, run.err);
  }
  Finished evaluate(const std::vector<std::string>& more) const {
    return run_program(joined({"evaluate", "--data", data, "--load", weights}, more));
  }
  json measured(const std::vector<std::string>& more) const {
    const Finished run = evaluate(joined(more, {"--json"}));
    REQUIRE_MESSAGE(run.status == 0, run.err);
    return json::parse(run.out);
  }
};

/// Returns an evaluation from a confusion matrix.
Evaluation evaluation_of(const std::vector<std::int64_t>& confusion, std::size_t classes) {
  Evaluation evaluation{.confusion = confusion, .classes = std::vector<ClassMetrics>(classes)};
  for (std::size_t i = 0; i < confusion.size(); ++i) evaluation.classes[i / classes].support += confusion[i];
  return evaluation;
}

}  // namespace

TEST_CASE("an evaluation prints loss, accuracy, metrics of each named class and the confusion matrix") {
  const Evaluated trained;
  const Finished run = trained.evaluate({"--metric", "brier-score"});
  REQUIRE_MESSAGE(run.status == 0, run.err);
  const auto lines = lines_of(run.out);
  REQUIRE(lines.size() == 4 + 1 + 12 + 1 + 11);
  CHECK_MESSAGE(matches(lines[0], "test loss [0-9.]+"), lines[0]);
  CHECK_MESSAGE(matches(lines[1], "test accuracy [01]\\.[0-9]{4}"), lines[1]);
  CHECK_MESSAGE(matches(lines[2], "test brier-score [0-9.e-]+"), lines[2]);
  CHECK_MESSAGE(matches(lines[3], "test top-5 accuracy [01]\\.[0-9]{4}"), lines[3]);
  CHECK_MESSAGE(matches(lines[5], "class +precision +recall +f1 +support"), lines[5]);
  CHECK_MESSAGE(matches(lines[15], "9 Ankle boot( +[01]\\.[0-9]{4}){3} +2"), lines[15]);
  CHECK_MESSAGE(matches(lines[16], "mean( +[01]\\.[0-9]{4}){3} +20"), lines[16]);
  CHECK_MESSAGE(matches(lines[18], "is \\\\ taken for( +[0-9]){10}"), lines[18]);
  CHECK_MESSAGE(matches(lines[28], "9 Ankle boot( +[.0-9]+){10}"), lines[28]);
}

TEST_CASE("the JSON of an evaluation is consistent and equal for any number of workers") {
  const Evaluated trained;
  const json one = trained.measured({"--shards", "6", "--workers", "1", "--top-k", "2", "--metric", "brier-score"});
  CHECK(one["set"] == "test");
  CHECK(one["samples"] == 20);
  CHECK(one["top_k"] == 2);
  CHECK(one["top_k_accuracy"] >= one["accuracy"]);
  CHECK(one["metrics"]["brier-score"] > 0);
  CHECK(one["macro"]["support"] == 20);
  REQUIRE(one["classes"].size() == 10);
  CHECK(one["classes"][9]["name"] == "Ankle boot");
  int right = 0;
  for (std::size_t i = 0; i < 10; ++i) {
    CHECK(one["classes"][i]["support"] == 2);
    right += one["confusion"][i][i].get<int>();
    CHECK(one["classes"][i]["recall"] == one["confusion"][i][i].get<double>() / 2);
  }
  CHECK(one["accuracy"] == right / 20.0);
  for (const char* placement : {"in-process", "processes"})
    CHECK(trained.measured({"--shards", "6", "--workers", "3", "--placement", placement, "--top-k", "2", "--metric",
                            "brier-score"}) == one);
}

TEST_CASE("evaluate measures the validation set with --set validation and names --validate if there is none") {
  const Evaluated trained;
  const json validation = trained.measured({"--validate", "0.2", "--set", "validation"});
  CHECK(validation["set"] == "validation");
  CHECK(validation["samples"] == 20);
  CHECK(trained.evaluate({"--validate", "0.2", "--set", "validation"}).out.starts_with("validation loss "));
  const Finished refused = trained.evaluate({"--set", "validation"});
  CHECK(refused.status == 2);
  CHECK_MESSAGE(refused.err.find("--validate") != std::string::npos, refused.err);
  CHECK(trained.evaluate({"--set", "training"}).status == 2);
  CHECK(trained.evaluate({"--top-k", "0"}).status == 2);
  const Finished unknown = trained.evaluate({"--metric", "brier"});
  CHECK(unknown.status == 2);
  CHECK_MESSAGE(unknown.err.find("did you mean 'brier-score'?") != std::string::npos, unknown.err);
}

TEST_CASE("an evaluation of targets prints errors and R2 for each target and for all targets") {
  Evaluated trained;
  const std::string images = write_npy_targets(trained.folder);
  const std::string files = images.substr(images.find(':') + 1);
  trained.data = "npy:" + files + "," + files;
  trained.train({"--data", trained.data});
  const json measured = trained.measured({});
  REQUIRE(measured["targets"].size() == 3);
  const json& all = measured["all_targets"];
  double mse = 0;
  for (const json& target : measured["targets"]) mse += target["mse"].get<double>() / 3;
  CHECK(all["mse"].get<double>() == doctest::Approx(mse));
  CHECK(all["mse"].get<double>() == doctest::Approx(measured["loss"].get<double>()));
  CHECK(all["r2"] < 1);
  CHECK_FALSE(measured.contains("classes"));
  CHECK_FALSE(measured.contains("top_k"));
  const auto lines = lines_of(trained.evaluate({}).out);
  REQUIRE(lines.size() == 2 + 1 + 5);
  CHECK_MESSAGE(matches(lines[3], "target +mse +mae +r2"), lines[3]);
  CHECK_MESSAGE(matches(lines[7], "all +[0-9.e-]+ +[0-9.e-]+ +[0-9.-]+"), lines[7]);
}

TEST_CASE("the report of an epoch includes metrics of the user") {
  const Evaluated trained;
  trained.train({"--data", trained.data, "--metric", "brier-score", "--report", trained.folder / "r.jsonl"});
  const auto lines = lines_of(read_file(trained.folder / "r.jsonl"));
  const json epoch = json::parse(lines.back());
  CHECK(epoch["test"]["metrics"]["brier-score"] > 0);
}

TEST_CASE("the confusion matrix has columns as wide as its counts and truncates names by characters") {
  Evaluation evaluation = evaluation_of({10, 0, 2000, 7}, 2);
  evaluation.class_names = {"Ä", "ein viel zu langer Nüme"};
  CHECK(confusion_table(evaluation) ==
        "is \\ taken for         0     1\n"
        "0 Ä                   10     .\n"
        "1 ein viel zu lan…  2000     7\n");
  evaluation.classes = {{0.5, 1, 0.25, 10}, {0, 0, 0, 2007}};
  evaluation.macro = {0.25, 0.5, 0.125, 2017};
  CHECK(class_table(evaluation) ==
        "class               precision  recall      f1   support\n"
        "0 Ä                    0.5000  1.0000  0.2500        10\n"
        "1 ein viel zu lan…     0.0000  0.0000  0.0000      2007\n"
        "mean                   0.2500  0.5000  0.1250      2017\n");
}

TEST_CASE("an evaluation of many classes prints the most confused pairs and the classes with the lowest f1") {
  constexpr std::size_t kMany = 101;
  std::vector<std::int64_t> confusion(kMany * kMany);
  for (std::size_t i = 0; i < kMany; ++i) confusion[i * kMany + i] = 100;
  confusion[3 * kMany + 5] = 9;
  confusion[100 * kMany + 0] = 12;
  Evaluation evaluation = evaluation_of(confusion, kMany);
  CHECK(confusion_table(evaluation) ==
        "most often taken for another class:\n"
        "  100 as 0: 12 of 112\n"
        "  3 as 5: 9 of 109\n");
  for (ClassMetrics& each : evaluation.classes) each.f1 = 1;
  evaluation.classes[42].f1 = 0.5;
  const auto lines = lines_of(class_table(evaluation));
  REQUIRE(lines.size() == 1 + 20 + 1 + 1);
  CHECK(lines[1].starts_with("42 "));
  CHECK(lines[2].starts_with("0 "));
  CHECK(lines[21] == "(the 20 of 101 whose f1 is the lowest)");
}
