#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>
#include <span>

#include "cli/run_program.hpp"
#include "cli/small_data.hpp"
#include "runtime/hash.hpp"

using namespace troupe_test;
using nlohmann::json;
using troupe::testing::read_file;
using troupe::testing::TemporaryFolder;

namespace {

constexpr const char* kAccuracyLine = "test accuracy [01]\\.[0-9]{4}";
constexpr const char* kHashLine = "weights sha256 [0-9a-f]{64}";

/// Runs a training that must succeed and returns the last line.
std::string hash_line(const std::vector<std::string>& arguments) {
  const Finished run = run_program(arguments);
  CHECK_MESSAGE(run.status == 0, run.err);
  CHECK(run.err.empty());
  const auto lines = lines_of(run.out);
  REQUIRE_FALSE(lines.empty());
  CHECK_MESSAGE(matches(lines.back(), kHashLine), run.out);
  return lines.back();
}

void check_same_hash(const std::vector<std::string>& arguments, const std::vector<std::string>& workers) {
  std::string expected;
  for (const char* placement : {"in-process", "processes"})
    for (const char* strategy : {"sharded", "driver"})
      for (const std::string& count : workers) {
        const auto options =
            joined(arguments, {"--placement", placement, "--strategy", strategy, "--workers", count, "--shards", "5"});
        const std::string line = hash_line(options);
        if (expected.empty()) expected = line;
        CHECK_MESSAGE(line == expected, placement, " ", strategy, " ", count);
      }
}

/// Returns the tensors of a safetensors file, concatenated in the order of their offsets.
std::string tensor_bytes(const std::string& path) {
  const std::string file = read_file(path);
  std::uint64_t length = 0;
  std::memcpy(&length, file.data(), sizeof length);
  const json header = json::parse(file.substr(sizeof length, length));
  std::vector<std::pair<std::size_t, std::size_t>> ranges;
  for (const auto& [name, tensor] : header.items()) {
    if (name == "__metadata__") continue;
    CHECK(tensor["dtype"] == "F32");
    ranges.emplace_back(tensor["data_offsets"][0], tensor["data_offsets"][1]);
  }
  std::sort(ranges.begin(), ranges.end());
  std::string bytes;
  for (const auto& [begin, end] : ranges) bytes += file.substr(sizeof length + length + begin, end - begin);
  return bytes;
}

/// Returns the labels that a verbose step prints for `workers` workers.
std::vector<std::string> step_labels(std::size_t workers) {
  std::vector<std::string> labels(workers, "compute grad interior time");
  labels.insert(labels.end(), {"compute all grads time", "grad reduce time"});
  labels.insert(labels.end(), workers, "apply grad interior time");
  labels.emplace_back("apply all grads time");
  return labels;
}

}  // namespace

TEST_CASE("quiet training prints test loss, accuracy and hash only") {
  const TemporaryFolder folder;
  write_fashion(folder);
  for (const char* model : {"softmax", "mlp", "cnn"}) {
    const Finished run = run_program({"train", "--model", model, "--data", "fashion-mnist:" + folder.path().string(),
                                      "--epochs", "2", "--batch-size", "4", "--quiet"});
    CHECK_MESSAGE(run.status == 0, run.err);
    CHECK_MESSAGE(matches(run.out, std::string("test loss [0-9.]+\n") + kAccuracyLine + "\n" + kHashLine + "\n"),
                  run.out);
    CHECK(run.err.empty());
  }
  const Finished run = run_program(train_linear({"--steps", "3", "--quiet"}));
  CHECK_MESSAGE(matches(run.out, std::string(kHashLine) + "\n"), run.out);
}

TEST_CASE("training prints the path of the weights and improves the model") {
  const TemporaryFolder folder;
  write_fashion(folder);
  const std::string weights = folder / "w.safetensors";
  const Finished run = run_program({"train", "--model", "softmax", "--data", "fashion-mnist:" + folder.path().string(),
                                    "--epochs", "3", "--batch-size", "5", "--save", weights});
  CHECK_MESSAGE(run.status == 0, run.err);
  for (const auto& text : std::vector<std::string>{"compute all grads time", "epoch 3: ", "saved to " + weights})
    CHECK_MESSAGE(run.out.find(text) != std::string::npos, run.out);
  const auto lines = lines_of(run.out);
  REQUIRE(lines.size() > 2);
  CHECK(lines[lines.size() - 2] == "test accuracy 1.0000");

  const Finished measured = run_program(
      {"evaluate", "--model", "softmax", "--data", "fashion-mnist:" + folder.path().string(), "--load", weights});
  CHECK_MESSAGE(measured.status == 0, measured.err);
  const auto said = lines_of(measured.out);
  REQUIRE(said.size() > 2);
  CHECK_MESSAGE(matches(said[0], "test loss [0-9.]+"), measured.out);
  CHECK(said[1] == "test accuracy 1.0000");
}

TEST_CASE("placement, strategy and number of workers do not change the hash") {
  const TemporaryFolder folder;
  const std::string data = write_npy(folder);
  check_same_hash(train_linear({"--steps", "20", "--quiet"}), {"1", "2", "3", "5"});
  const auto train = [&](const char* model) {
    return std::vector<std::string>{"train", "--model",      model, "--data",  data,          "--steps",
                                    "5",     "--batch-size", "4",   "--quiet", "--optimizer", "adam"};
  };
  check_same_hash(train("softmax"), {"1", "3"});
  check_same_hash(train("mlp"), {"1", "4"});
  check_same_hash(train("cnn"), {"1", "2"});
}

TEST_CASE("several targets are trained with the selected loss") {
  const TemporaryFolder folder;
  const std::string data = write_npy_targets(folder);
  const auto train = [&](const std::vector<std::string>& more) {
    return joined({"train", "--model", "mlp", "--data", data, "--steps", "5", "--batch-size", "4", "--quiet"}, more);
  };
  check_same_hash(train({"--loss", "sigmoid-cross-entropy"}), {"1", "3"});
  const std::string squares = hash_line(train({}));
  CHECK(hash_line(train({"--loss", "mean-squared-error"})) == squares);
  CHECK(hash_line(train({"--loss", "sigmoid-cross-entropy"})) != squares);
}

TEST_CASE("another seed or number of shards changes the hash") {
  const std::string expected = hash_line(train_linear({"--steps", "20", "--quiet"}));
  CHECK(hash_line(train_linear({"--steps", "20", "--quiet"})) == expected);
  CHECK(hash_line(train_linear({"--steps", "20", "--quiet", "--seed", "2"})) != expected);
  CHECK(hash_line(train_linear({"--steps", "20", "--quiet", "--shards", "7"})) != expected);
}

TEST_CASE("the hash covers the canonical weights as they are saved") {
  const TemporaryFolder folder;
  const std::string data = write_npy(folder);
  for (const char* model : {"softmax", "cnn"}) {
    const std::string path = folder / "w.safetensors";
    const std::string line = hash_line(
        {"train", "--model", model, "--data", data, "--steps", "2", "--quiet", "--batch-size", "4", "--save", path});
    const std::string bytes = tensor_bytes(path);
    CHECK(bytes.size() == 4 * (std::string(model) == "cnn" ? 421'642 : 7'850));
    CHECK(line == "weights sha256 " + troupe::sha256_hex(std::as_bytes(std::span(bytes))));
  }
}

TEST_CASE("a verbose step prints exactly five labels with one nested line per worker") {
  const Finished run = run_program(train_linear({"--steps", "5", "--workers", "3", "--verbose"}));
  const auto lines = lines_of(run.out);
  const auto labels = step_labels(3);
  REQUIRE(lines.size() == 1 + 5 * (1 + labels.size()) + 1);
  for (std::size_t step = 0; step < 5; ++step) {
    const std::size_t at = 1 + step * (1 + labels.size());
    CHECK_MESSAGE(matches(lines[at], "step " + std::to_string(step + 1) + ", loss [0-9.e+-]+"), lines[at]);
    for (std::size_t i = 0; i < labels.size(); ++i)
      CHECK_MESSAGE(matches(lines[at + 1 + i], labels[i] + " [0-9]+\\.[0-9]{6}"), lines[at + 1 + i]);
  }
}

TEST_CASE("a report has an object for each step, and the phases fit into the step") {
  const TemporaryFolder folder;
  for (const char* placement : {"in-process", "processes"})
    for (const char* strategy : {"sharded", "driver"}) {
      const std::string path = folder / "report.jsonl";
      const Finished run =
          run_program(train_linear({"--steps", "200", "--batch-size", "0", "--workers", "3", "--quiet", "--report",
                                    path, "--placement", placement, "--strategy", strategy}));
      CHECK_MESSAGE(run.status == 0, run.err);
      const auto lines = lines_of(read_file(path));
      REQUIRE(lines.size() == 200);
      for (std::size_t i = 0; i < lines.size(); ++i) {
        const json step = json::parse(lines[i]);
        CHECK(step.at("step") == i + 1);
        CHECK(step.at("loss").get<double>() >= 0);
        CHECK(step.at("samples") == 1000);
        CHECK(step.at("precision") == "f32");
        CHECK(step.at("bytes_copied") == (std::string(strategy) == "driver" ? 16 : 0));
        const json& seconds = step.at("seconds");
        CHECK(seconds.at("compute").size() == 3);
        CHECK(seconds.at("apply").size() == 3);
        const double phases = seconds.at("compute_all").get<double>() + seconds.at("reduce").get<double>() +
                              seconds.at("apply_all").get<double>();
        CHECK(phases > 0);
        CHECK(phases <= seconds.at("step").get<double>());  // the phases are consecutive parts of the step
      }
    }
}

TEST_CASE("training continues from loaded weights") {
  const TemporaryFolder folder;
  const std::string path = folder / "w.safetensors";
  const auto train = [](const std::string& steps, const std::vector<std::string>& more) {
    return hash_line(train_linear(joined({"--batch-size", "0", "--quiet", "--steps", steps}, more)));
  };
  const std::string whole = train("7", {});
  const std::string half = train("4", {"--save", path});
  CHECK(half != whole);
  CHECK(train("3", {"--load", path}) == whole);
}

TEST_CASE("help and version are printed with status 0") {
  for (const char* command : {"train", "evaluate"}) {
    const Finished run = run_program({command, "--help"});
    CHECK(run.status == 0);
    CHECK(run.out.find("Usage: troupe " + std::string(command)) != std::string::npos);
  }
  CHECK(run_program({"--help"}).out.find("examples:") != std::string::npos);
  CHECK(matches(run_program({"--version"}).out, "[0-9]+\\.[0-9]+\\.[0-9]+\n"));
}
