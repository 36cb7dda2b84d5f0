#include <doctest/doctest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "cli/run_program.hpp"
#include "cli/small_data.hpp"

using namespace troupe_test;
using nlohmann::json;
using troupe::testing::read_file;
using troupe::testing::TemporaryFolder;
using troupe::testing::write_file;

namespace {

void report_training(const std::string& report, const std::vector<std::string>& more, const std::string& steps = "5") {
  const Finished run =
      run_program(train_linear(joined({"--shards", "4", "--steps", steps, "--report", report, "--hash"}, more)));
  REQUIRE_MESSAGE(run.status == 0, run.err);
}

Finished diff(const std::string& first, const std::string& second) { return run_program({"diff", first, second}); }

/// Returns the report with a change in the line of one step.
template <class Change>
void change_step(const std::string& from, const std::string& to, int number, const Change& change) {
  std::ifstream lines(from);
  std::ofstream changed(to);
  for (std::string line; std::getline(lines, line);) {
    json step = json::parse(line);
    if (step.value("step", 0) == number) change(step);
    changed << step.dump() << '\n';
  }
}

}  // namespace

TEST_CASE("runs with different placements have the same hashes at every step") {
  const TemporaryFolder folder;
  report_training(folder / "one", {"--workers", "1"});
  report_training(folder / "four", {"--workers", "4", "--placement", "processes", "--profile"});
  const Finished same = diff(folder / "one", folder / "four");
  CHECK_MESSAGE(same.status == 0, same.err);
  CHECK(same.out == "5 steps, all identical\n");
}

TEST_CASE("the first different step is named with the fields that differ") {
  const TemporaryFolder folder;
  report_training(folder / "a", {"--workers", "1"});
  report_training(folder / "b", {"--workers", "1", "--weight-decay", "0.5"});
  const auto differs = [&](const std::string& other, const std::string& words) {
    const Finished run = diff(folder / "a", folder / other);
    CHECK(run.status == 1);
    CHECK(run.out == words + "\n");
  };
  differs("b", "step 2 differs in weights");  // the first weights are zeros, which do not decay
  for (const char* what : {"loss", "gradient_norm", "weights"}) {
    change_step(folder / "a", folder / "c", 3, [&](json& step) { step["hash"][what] = "0"; });
    differs("c", std::string("step 3 differs in ") + what);
  }
  change_step(folder / "a", folder / "c", 4, [&](json& step) { step["samples"] = 1; });
  differs("c", "step 4 differs in samples");
  report_training(folder / "short", {"--workers", "1"}, "3");
  differs("short", (folder / "short") + " ends after 3 steps, but the other continues");
}

TEST_CASE("diff refuses a file that is not a report with hashes") {
  const TemporaryFolder folder;
  report_training(folder / "a", {"--workers", "1"});
  const auto refused = [&](const std::string& text, const std::string& words) {
    write_file(folder / "bad", text);
    const Finished run = diff(folder / "a", folder / "bad");
    CHECK(run.status == 1);
    CHECK_MESSAGE(run.err.find("bad_file") != std::string::npos, run.err);
    CHECK_MESSAGE(run.err.find(words) != std::string::npos, run.err);
  };
  refused("{\"step\": 1}\n", "line 1 is not a step with hashes");
  refused("nothing\n", "line 1 is not a JSON object");
  refused(R"({"step": 1, "samples": 1, "hash": {}})", "line 1 is not a step with hashes");
  const std::string deep = std::string(200'000, '[') + std::string(200'000, ']');
  refused(R"({"step": 1, "samples": )" + deep + R"(, "hash": {"loss": "1", "gradient_norm": "1", "weights": "1"}})",
          "line 1 is not a JSON object");
  write_file(folder / "bad", "");
  CHECK(diff(folder / "bad", folder / "bad").err.find("the report contains no step") != std::string::npos);
  CHECK(diff(folder / "a", folder / "missing").err.find("cannot be read") != std::string::npos);
  CHECK(run_program({"train", "--hash"}).status != 0);
}
