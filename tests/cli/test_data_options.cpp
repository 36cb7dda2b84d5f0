#include <doctest/doctest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/refused.hpp"
#include "cli/run_program.hpp"
#include "cli/small_data.hpp"
#include "support/image_bytes.hpp"

// Options of `train` for data: CSV files, transforms, validation.
using namespace troupe_test;
using nlohmann::json;
using troupe::testing::read_file;
using troupe::testing::TemporaryFolder;
using troupe::testing::write_file;

namespace {

/// Returns rows with the target 3 x - 2 y and a class for the sign of the target.
std::string rows(int count) {
  std::string text = "x,y,sign,target\n";
  for (int i = 0; i < count; ++i) {
    const int x = i * 7 % 11 - 5;
    const int y = i * 5 % 13 - 6;
    const int target = 3 * x - 2 * y;
    text +=
        std::to_string(x) + "," + std::to_string(y) + (target > 0 ? ",up," : ",down,") + std::to_string(target) + "\n";
  }
  return text;
}

std::string last_line(const Finished& run) {
  REQUIRE_MESSAGE(run.status == 0, run.err);
  return lines_of(run.out).back();
}

std::vector<json> epochs_of(const std::string& report) {
  std::vector<json> epochs;
  for (const std::string& line : lines_of(read_file(report)))
    if (const json object = json::parse(line); object.contains("epoch")) epochs.push_back(object);
  return epochs;
}

}  // namespace

TEST_CASE("training on a CSV file is bitwise identical for any number of workers, placement and interruption") {
  const TemporaryFolder folder;
  write_file(folder / "train.csv", rows(200));
  write_file(folder / "test.csv", rows(40));
  const std::string data = "csv:" + (folder / "train.csv") + ",class=sign,ignore=target,test=" + (folder / "test.csv");
  const std::vector<std::string> run{"train",       "--model",         "mlp",      "--data", data,
                                     "--transform", "normalise",       "--shards", "4",      "--batch-size",
                                     "10",          "--learning-rate", "0.1",      "--quiet"};
  const std::vector<std::string> whole{"--epochs", "20"};
  std::string hash;
  for (const char* workers : {"1", "2", "3", "4"})
    for (const char* placement : {"in-process", "processes"}) {
      const Finished trained =
          run_program(joined(joined(run, whole), {"--workers", workers, "--placement", placement}));
      if (hash.empty()) hash = last_line(trained);
      CHECK(last_line(trained) == hash);
      CHECK_MESSAGE(matches(lines_of(trained.out).at(1), "test accuracy (1.0|0.9).*"), trained.out);
    }
  const std::vector<std::string> saving{"--checkpoint", folder / "run", "--checkpoint-every", "7"};
  last_line(run_program(joined(joined(run, saving), {"--steps", "37"})));
  CHECK(last_line(run_program(joined(joined(joined(run, saving), whole), {"--resume", "--workers", "3"}))) == hash);
}

TEST_CASE("random transforms of images are identical for any number of workers and after deaths and resuming") {
  const TemporaryFolder folder;
  write_fashion(folder, 100, 20);
  const std::vector<std::string> run{"train",
                                     "--model",
                                     "cnn",
                                     "--data",
                                     "fashion-mnist:" + folder.path().string(),
                                     "--transform",
                                     "crop 28 2, flip, rotate 10, colour 0.2, cutout 6, normalise",
                                     "--shards",
                                     "3",
                                     "--batch-size",
                                     "8",
                                     "--quiet"};
  const std::vector<std::string> whole{"--epochs", "2"};
  const std::string hash = last_line(run_program(joined(joined(run, whole), {"--workers", "1"})));
  CHECK(
      last_line(run_program(joined(joined(run, whole), {"--workers", "3", "--placement", "processes", "--max-failures",
                                                        "3", "--fault", "kill worker 1 at step 4"}))) == hash);
  const std::vector<std::string> saving{"--checkpoint", folder / "run", "--checkpoint-every", "2"};
  last_line(run_program(joined(joined(run, saving), {"--steps", "3"})));
  CHECK(last_line(run_program(joined(joined(joined(run, saving), whole), {"--resume", "--workers", "2"}))) == hash);
}

TEST_CASE("epochs are measured on a validation set, and training ends when the loss stops improving") {
  const TemporaryFolder folder;
  write_fashion(folder, 100, 20);
  const std::vector<std::string> run{
      "train",        "--model", "softmax",  "--data",         "fashion-mnist:" + folder.path().string(),
      "--batch-size", "10",      "--report", folder / "report"};
  const Finished trained = run_program(joined(run, {"--epochs", "3", "--validate", "0.2"}));
  REQUIRE_MESSAGE(trained.status == 0, trained.err);
  CHECK(trained.out.find("validation loss") != std::string::npos);
  CHECK(trained.out.find("test accuracy") != std::string::npos);
  for (const json& epoch : epochs_of(folder / "report")) {
    CHECK(epoch["test"].is_null());
    CHECK(epoch["validation"]["samples"] == 20);
    CHECK(epoch["samples"] == 80);
  }
  const std::string other = "fashion-mnist:" + folder.path().string();
  run_program(joined(run, {"--epochs", "1", "--validate", other}));
  CHECK(epochs_of(folder / "report").at(0)["validation"]["samples"] == 100);

  const Finished stopped =
      run_program(joined(run, {"--epochs", "50", "--validate", "0.2", "--patience", "2", "--learning-rate", "50"}));
  REQUIRE_MESSAGE(stopped.status == 0, stopped.err);
  CHECK(stopped.out.find("no improvement for 2 epochs: training ends") != std::string::npos);
  const auto epochs = static_cast<std::int64_t>(epochs_of(folder / "report").size());
  CHECK(epochs < 50);

  const auto parts = [&](const std::string& steps) {
    return last_line(run_program(joined(run, {"--steps", steps, "--validate", "0.2", "--patience", "2",
                                              "--learning-rate", "50", "--checkpoint", folder / "run", "--resume"})));
  };
  REQUIRE(epochs >= 3);
  parts(std::to_string(4 * (epochs - 1)));  // four steps per epoch; a step computes two shards
  CHECK(parts("200") == last_line(stopped));
  CHECK(parts("200") == last_line(stopped));

  // The run was killed after the last epoch but one, before the result of that epoch was written.
  const std::string watched = folder / "run/watched.json";
  json all = json::parse(read_file(watched));
  REQUIRE(std::ssize(all["epochs"]) == epochs);
  std::filesystem::remove_all(folder / "run");
  parts(std::to_string(4 * (epochs - 1)));
  all["epochs"].erase(all["epochs"].end() - 2, all["epochs"].end());
  write_file(watched, all.dump());
  CHECK(parts("200") == last_line(stopped));
  CHECK(std::ssize(json::parse(read_file(watched))["epochs"]) == epochs);

  const std::vector<std::string> on = joined(
      run, {"--steps", "200", "--validate", "0.2", "--patience", "2", "--checkpoint", folder / "run", "--resume"});
  for (const char* steps : {"4.5", "-4", "4,8,8", "18446744073709551615", "\"4\""}) {
    CAPTURE(steps);
    std::string epochs_text;
    for (std::string step; const char c : std::string(steps) + ",") {
      if (c != ',') {
        step += c;
        continue;
      }
      epochs_text += std::string(epochs_text.empty() ? "" : ",") + R"({"step":)" + step + R"(,"value":1})";
      step.clear();
    }
    write_file(watched, R"({"metric":"loss of 0.2","epochs":[)" + epochs_text + "]}");
    check_refused(on, {"bad_file", watched, "remove it"});
  }
  write_file(watched, R"({"metric":"loss of 0.1","epochs":[{"step":4,"value":0},{"step":8,"value":1}]})");
  const Finished anew = run_program(on);
  CHECK(anew.status == 0);
  CHECK(anew.err.find("counts anew") != std::string::npos);
}

TEST_CASE("an unreadable test set ends the run and reports no outdated results") {
  const TemporaryFolder folder;
  for (const char* set : {"train", "test"})
    for (int i = 0; i < 8; ++i) {
      const std::filesystem::path file =
          folder / (std::string(set) + "/" + std::to_string(i % 2) + "/" + std::to_string(i) + ".png");
      std::filesystem::create_directories(file.parent_path());
      write_file(file, png_bytes(std::string(16, static_cast<char>(10 * i)), 4, 4, 1));
    }
  const std::string images = "images:" + (folder / "train") + ",test=" + (folder / "test") + ",damaged=skip";
  Program run({"train", "--model", "mlp", "--data", images, "--workers", "1", "--shards", "1", "--batch-size", "2",
               "--epochs", "1000000"});
  REQUIRE(run.prints("epoch 1:"));
  std::filesystem::rename(folder / "test", folder / "gone");
  const Finished ended = run.finish();
  CHECK(ended.status == 1);
  CHECK_MESSAGE(ended.err.find("none of its samples can be read") != std::string::npos, ended.err);
}

TEST_CASE("a linear regression on a CSV file reports R2 and names its targets") {
  const TemporaryFolder folder;
  std::string text = "x,y,price\n";
  for (int i = 0; i < 60; ++i)
    text += std::to_string(i * 7 % 11) + "," + std::to_string(i * 5 % 13) + "," +
            std::to_string(100 + 3 * (i * 7 % 11) - 2 * (i * 5 % 13)) + "\n";
  write_file(folder / "a.csv", text);
  const std::string data = "csv:" + (folder / "a.csv") + ",test=" + (folder / "a.csv");
  const Finished trained =
      run_program({"train", "--model", "linear", "--data", data, "--transform", "normalise, intercept", "--batch-size",
                   "10", "--epochs", "60", "--learning-rate", "0.2", "--save", folder / "w"});
  REQUIRE_MESSAGE(trained.status == 0, trained.err);
  CHECK_MESSAGE(trained.out.find("\ntest R2 1.0000\n") != std::string::npos, trained.out);
  CHECK(trained.out.find("accuracy") == std::string::npos);
  const Finished evaluated = run_program({"evaluate", "--load", folder / "w", "--data", data});
  REQUIRE_MESSAGE(evaluated.status == 0, evaluated.err);
  CHECK_MESSAGE(matches(lines_of(evaluated.out).back(), "price +[0-9.e-]+ +[0-9.e-]+ +(1.0|0.99)[0-9]+"),
                evaluated.out);
  const Finished told = run_program({"evaluate", "--load", folder / "w", "--data", data, "--json"});
  CHECK(json::parse(told.out)["targets"][0]["name"] == "price");
}

TEST_CASE("invalid data options are refused") {
  const TemporaryFolder folder;
  write_file(folder / "train.csv", rows(20));
  const auto train = [&](const std::vector<std::string>& more) {
    return joined({"train", "--model", "linear", "--data", "csv:" + (folder / "train.csv") + ",ignore=sign"}, more);
  };
  check_refused(train({"--transform", "blur"}), {"no transform 'blur'"});
  check_refused(train({"--transform", "flip"}), {"needs images"});
  check_refused(train({"--validate", "1.5"}), {"must be between 0 and 1"});
  check_refused(train({"--validate", "nothing"}), {"no data source named 'nothing'"});
  check_refused(train({"--patience", "2"}), {"--validate"});
  check_refused(
      train({"--validate", "0.5", "--batch-size", "2", "--checkpoint", folder / "run", "--keep-best", "accuracy"}),
      {"--keep-best accuracy needs classes"});
  check_refused(train({"--data", "csv:" + (folder / "absent.csv")}), {"absent.csv"});
  check_refused(train({"--data", "csv:" + (folder / "train.csv") + ",target=sign"}), {"class=sign"});
}

TEST_CASE("damaged images are skipped and counted, bitwise identical for any number of workers") {
  const TemporaryFolder folder;
  for (int i = 0; i < 24; ++i) {
    const std::filesystem::path file = folder / ("photos/" + std::to_string(i % 3) + "/" + std::to_string(i) + ".png");
    std::filesystem::create_directories(file.parent_path());
    write_file(file, i % 7 == 5 ? "damaged" : png_bytes(std::string(16, static_cast<char>(10 * i)), 4, 4, 1));
  }
  const std::vector<std::string> run{"train",
                                     "--model",
                                     "mlp",
                                     "--data",
                                     "images:" + (folder / "photos") + ",damaged=skip",
                                     "--batch-size",
                                     "4",
                                     "--shards",
                                     "3",
                                     "--epochs",
                                     "2",
                                     "--report",
                                     folder / "report"};
  CHECK(run_program({"train", "--model", "mlp", "--data", "images:" + (folder / "photos")}).status != 0);
  std::string hash;
  for (const char* workers : {"1", "3"}) {
    const Finished trained = run_program(joined(run, {"--workers", workers, "--placement", "processes"}));
    if (hash.empty()) hash = last_line(trained);
    CHECK(last_line(trained) == hash);
    CHECK(trained.err.find("skipped a sample") != std::string::npos);
    std::int64_t left_out = 0;
    for (const std::string& line : lines_of(read_file(folder / "report")))
      left_out += json::parse(line).value("left_out_samples", 0);
    CHECK(left_out == 2 * 3);  // two epochs
  }
}
