#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "cli/run_program.hpp"
#include "cli/small_data.hpp"
#include "models/files/safetensors_file.hpp"
#include "models/files/weight_file.hpp"

using namespace troupe_test;
using namespace troupe::testing;

namespace {

/// A linear regression y = 3 a - 5 b + (1 if red, 4 if green, 8 if blue) trained on a table.
struct Learnt {
  TemporaryFolder folder;
  std::string weights = folder / "w.safetensors";

  Learnt() {
    std::string rows = "a,colour,b,y\n";
    const char* const colours[] = {"red", "green", "blue"};
    const double shifts[] = {1, 4, 8};
    for (int i = 0; i < 60; ++i) {
      const double a = i % 7 / 3.0;
      const double b = i % 11 / 5.0;
      rows += std::to_string(a) + "," + colours[i % 3] + "," + std::to_string(b) + "," +
              std::to_string(3 * a - 5 * b + shifts[i % 3]) + "\n";
    }
    write_file(folder / "train.csv", rows);
    const Finished run =
        run_program({"train", "--model", "linear", "--data", "csv:" + (folder / "train.csv"), "--steps", "600",
                     "--batch-size", "0", "--learning-rate", "0.1", "--momentum", "0.7", "--quiet", "--save", weights});
    REQUIRE_MESSAGE(run.status == 0, run.err);
    std::filesystem::remove(folder / "train.csv");
  }

  std::string table(const std::string& text) const {
    write_file(folder / "new.csv", text);
    return "csv:" + (folder / "new.csv");
  }
  Finished run(const std::string& command, const std::string& data) const {
    return run_program({command, "--load", weights, "--data", data});
  }
  std::vector<double> predictions(const std::string& data) const {
    const Finished done = run("predict", data);
    CHECK_MESSAGE(done.status == 0, done.err);
    std::vector<double> numbers;
    for (const std::string& line : lines_of(done.out)) numbers.push_back(std::stod(line.substr(line.find(':') + 1)));
    return numbers;
  }
};

void check_failed(const Finished& run, const std::string& words) {
  CHECK(run.status == 1);
  CHECK_MESSAGE(run.err.find(words) != std::string::npos, run.err);
}

}  // namespace

TEST_CASE("new rows are predicted by column names without the training file") {
  const Learnt learnt;
  for (const char* const table : {"b,a,colour\n1,2,blue\n0,1,red\n", "colour,note,b,a\nblue,new,1,2\nred,old,0,1\n"}) {
    const std::vector<double> found = learnt.predictions(learnt.table(table));
    REQUIRE(found.size() == 2);
    CHECK(found[0] == doctest::Approx(9).epsilon(0.01));
    CHECK(found[1] == doctest::Approx(4).epsilon(0.01));
  }
  check_failed(learnt.run("predict", learnt.table("b,colour\n1,blue\n")),
               "no column 'a', on which the network was trained");
  const std::string amber = learnt.table("b,a,colour\n1,2,amber\n");
  check_failed(learnt.run("predict", amber), "line 2: column 'colour' has 'amber'");
  CHECK(learnt.predictions(amber + ",unseen=zero").at(0) == doctest::Approx(1).epsilon(0.02));
}

TEST_CASE("evaluation and further training read a table with the columns and categories of the network") {
  const Learnt learnt;
  std::string rows = "y,b,a,colour\n";
  for (int i = 0; i < 20; ++i) rows += std::to_string(3 * i - 5 + 8) + ",1," + std::to_string(i) + ",blue\n";
  const std::string data = learnt.table(rows) + ",target=y";
  const Finished evaluated = learnt.run("evaluate", data + ",test=" + (learnt.folder / "new.csv"));
  REQUIRE_MESSAGE(evaluated.status == 0, evaluated.err);
  CHECK_MESSAGE(evaluated.out.find("test R2 1.0000") != std::string::npos, evaluated.out);
  const Finished trained =
      run_program({"train", "--load", learnt.weights, "--data", data, "--steps", "1", "--batch-size", "0",
                   "--placement", "processes", "--report", learnt.folder / "r.jsonl", "--learning-rate", "1e-9"});
  REQUIRE_MESSAGE(trained.status == 0, trained.err);
  const auto step = nlohmann::json::parse(lines_of(read_file(learnt.folder / "r.jsonl")).at(0));
  CHECK(step.at("loss").get<double>() < 0.05);
}

TEST_CASE("predict warns about a file of weights without columns and reads the table as it is") {
  const Learnt learnt;
  const troupe::SafetensorsFile file(learnt.weights);
  auto network = nlohmann::ordered_json::parse(file.network());
  network.erase("inputs");
  const std::vector<troupe::TensorInfo> tensors{{"weights", {5}}};
  const std::string old = learnt.folder / "old.safetensors";
  troupe::write_safetensors(old, tensors, troupe::read_safetensors(learnt.weights, tensors), network.dump());
  const std::string data = learnt.table("a,colour,b,y\n2,blue,1,9\n1,green,0,7\n1,red,0,4\n");
  const Finished run = run_program({"predict", "--load", old, "--data", data});
  CHECK_MESSAGE(run.status == 0, run.err);
  CHECK_MESSAGE(run.err.find("contains no columns, categories or symbols") != std::string::npos, run.err);
  CHECK(std::stod(run.out.substr(2)) == doctest::Approx(9).epsilon(0.01));
}
