#include <doctest/doctest.h>

#include <filesystem>

#include "cli/run_program.hpp"
#include "cli/small_data.hpp"
#include "models/files.hpp"
#include "support/image_bytes.hpp"
#include "support/text.hpp"

// Data whose classes differ from those of the network, have odd names, or include files that cannot be read.
using namespace troupe_test;
using namespace troupe::testing;

namespace {

/// Returns twenty rows for each name. Each name has its own centre.
std::string rows_of(const std::vector<std::string>& names) {
  std::string text = "x,kind\n";
  for (int i = 0; i < 20; ++i)
    for (std::size_t k = 0; k < names.size(); ++k)
      text += std::to_string(static_cast<double>(k) * 10 + i % 3 - 15) + ",\"" + names[k] + "\"\n";
  return text;
}

struct Folder : TemporaryFolder {
  std::string csv(const std::string& name, const std::vector<std::string>& classes) const {
    write_file(*this / name, rows_of(classes));
    return "csv:" + (*this / name) + ",test=" + (*this / name);
  }
  /// Trains a softmax regression and returns the path of its weights.
  std::string trained_on(const std::string& data) const {
    const Finished run = run_program({"train", "--model", "softmax", "--data", data, "--transform", "normalise",
                                      "--epochs", "30", "--learning-rate", "1", "--save", *this / "w"});
    REQUIRE_MESSAGE(run.status == 0, run.err);
    CHECK(run.err.empty());
    return *this / "w";
  }
};

}  // namespace

TEST_CASE("the file of weights contains the preprocessing of samples, even for classes with odd names") {
  const Folder folder;
  for (const char* odd : {"a\tb", "two\nlines", "me\xE2\x80\x8Cme"}) {
    CAPTURE(odd);
    const std::string data = folder.csv("odd.csv", {odd, "plain"});
    const std::string weights = folder.trained_on(data);
    const Finished evaluated = run_program({"evaluate", "--load", weights, "--data", data});
    REQUIRE_MESSAGE(evaluated.status == 0, evaluated.err);
    CHECK_MESSAGE(contains(evaluated.out, "test accuracy 1.0000"), evaluated.out);
    const Finished predicted = run_program({"predict", "--load", weights, "--data", data});
    CHECK_MESSAGE(contains(predicted.out, "accuracy 1.0000 of 40 samples"), predicted.out);
  }
}

TEST_CASE("classes are matched by name and not by number") {
  const Folder folder;
  const Finished refused = run_program(
      {"train", "--model", "softmax", "--data", folder.csv("odd.csv", {"M\xFCnchen", "plain"}), "--epochs", "1"});
  CHECK_MESSAGE(contains(refused.err, "line 2: column 'kind' has 'M?nchen', which is not valid UTF-8"), refused.err);
  const std::string weights = folder.trained_on(folder.csv("three.csv", {"cat", "dog", "fox"}));
  const std::string other = folder.csv("other.csv", {"ant", "dog", "fox"});
  const Finished evaluated = run_program({"evaluate", "--load", weights, "--data", other});
  CHECK(evaluated.status == 1);
  CHECK_MESSAGE(contains(evaluated.err, "class 'ant' is not among the classes that the network was trained on"),
                evaluated.err);
  const Finished of_other = run_program({"predict", "--load", weights, "--data", other});
  CHECK_MESSAGE(contains(of_other.out, "accuracy 1.0000 of 40 samples"), of_other.out);
  CHECK_MESSAGE(contains(of_other.err, "1 classes of the data are unknown to the network"), of_other.err);
  write_file(folder / "two.csv", "x,kind\n-5,dog\n5,fox\n");  // numbered 0 and 1 there
  const Finished of_two = run_program({"predict", "--load", weights, "--data", "csv:" + (folder / "two.csv")});
  CHECK_MESSAGE(contains(of_two.out, "0: class 1 (dog)"), of_two.out);
  CHECK_MESSAGE(contains(of_two.out, "label 1 (dog)"), of_two.out);
  CHECK_MESSAGE(contains(of_two.out, "accuracy 1.0000 of 2 samples"), of_two.out);
  const Finished validated =
      run_program({"train", "--model", "softmax", "--data", folder.csv("three.csv", {"cat", "dog", "fox"}),
                   "--validate", "csv:" + (folder / "other.csv"), "--epochs", "1"});
  CHECK(validated.status != 0);
  CHECK_MESSAGE(contains(validated.err, "the validation set's class 'ant' is not a class of the training set"),
                validated.err);
}

TEST_CASE("an evaluation without a test set measures the given data") {
  const Folder folder;
  const std::string weights = folder.trained_on(folder.csv("three.csv", {"cat", "dog", "fox"}));
  write_file(folder / "two.csv", "x,kind\n-5,dog\n5,fox\n0,fox\n");
  const Finished run = run_program({"evaluate", "--load", weights, "--data", "csv:" + (folder / "two.csv")});
  CHECK(run.status == 0);
  CHECK_MESSAGE(contains(run.out, "test accuracy 0.6667"), run.out << run.err);
}

TEST_CASE("prediction skips unreadable images if --data asks for it") {
  const Folder folder;
  for (int i = 0; i < 8; ++i) {
    const std::filesystem::path file = folder / ("photos/" + std::to_string(i % 2) + "/" + std::to_string(i) + ".png");
    std::filesystem::create_directories(file.parent_path());
    write_file(file, i == 6 ? "damaged" : png_bytes(std::string(16, static_cast<char>(100 * (i % 2))), 4, 4, 1));
  }
  const std::string data = "images:" + (folder / "photos") + ",damaged=skip";
  const Finished trained = run_program(
      {"train", "--model", "mlp", "--data", data, "--epochs", "2", "--batch-size", "4", "--save", folder / "w"});
  REQUIRE_MESSAGE(trained.status == 0, trained.err);
  const Finished predicted = run_program({"predict", "--load", folder / "w", "--data", data});
  REQUIRE_MESSAGE(predicted.status == 0, predicted.err);
  CHECK_MESSAGE(contains(predicted.out, "3: cannot be read\n"), predicted.out);
  CHECK_MESSAGE(contains(predicted.out, " of 7 samples\nleft out 1 samples that cannot be read"), predicted.out);
  REQUIRE(run_program({"predict", "--load", folder / "w", "--data", data, "--out", folder / "p.csv"}).status == 0);
  CHECK(lines_of(read_file(folder / "p.csv")).at(4) == "3,,,,");
  const Finished shown = run_program({"data", "show", data});
  REQUIRE_MESSAGE(shown.status == 0, shown.err);
  CHECK_MESSAGE(contains(shown.out, "1 samples cannot be read and are left out"), shown.out);
}
