#include <doctest/doctest.h>

#include "cli/refused.hpp"
#include "cli/report/run_lines.hpp"
#include "cli/report/run_record.hpp"
#include "cli/run_program.hpp"
#include "cli/small_data.hpp"
#include "support/text.hpp"

using namespace troupe_test;
using troupe::cli::read_run;
using troupe::testing::read_file;
using troupe::testing::TemporaryFolder;
using troupe::testing::write_file;

namespace {

constexpr const char* kRepair =
    R"([{"worker":1,"node":"here","phase":"compute","what":"<b>killed</b>","redistributed":false,"seconds":0.2,"replayed":0}])";

/// Checks that a report is refused and that no page is written.
void check_report_refused(const std::string& lines, const std::vector<std::string>& named) {
  const TemporaryFolder folder;
  write_file(folder / "steps.jsonl", lines);
  check_refused({"report", folder / "steps.jsonl", "--html", folder / "run.html"}, named);
  CHECK(!std::filesystem::exists(folder / "run.html"));
}

}  // namespace

TEST_CASE("report prints a summary and draws charts") {
  const TemporaryFolder folder;
  std::string lines;
  for (int step = 1; step <= 10; ++step) lines += step_line(step, 1.0 / step, step == 4 ? kRepair : "[]");
  lines += epoch_line(1, 10, 0.75);
  for (int step = 11; step <= 20; ++step) lines += step_line(step, 1.0 / step);
  lines += epoch_line(2, 20, 0.7) + R"({"profile":[]})" + "\n";
  write_file(folder / "steps.jsonl", lines);
  const Finished run = run_program({"report", folder / "steps.jsonl", "--html", folder / "run.html"});
  REQUIRE_MESSAGE(run.status == 0, run.err);
  CHECK(run.err.empty());
  CHECK(matches(lines_of(run.out).at(0), "steps +20"));
  for (const char* fact : {"samples                   1,000", "time                      2 s of steps",
                           "rate                      500 samples per second", "last loss                 0.05",
                           "best test accuracy        0.75 after epoch 1", "repairs                   1",
                           "strategy                  tree, f32, synchronous"})
    CHECK_MESSAGE(contains(run.out, fact), run.out);
  const std::string page = read_file(folder / "run.html");
  for (const char* title : {"Loss of each step", "Time of each phase", "Rate", "Accuracy", "Learning rate"})
    CHECK_MESSAGE(contains(page, "<figcaption>" + std::string(title) + "</figcaption>"), title);
  CHECK(count(page, "class=\"mark\"") == 3);  // one in each chart of steps
  CHECK(contains(page, "worker 1 on here, compute: &lt;b&gt;killed&lt;/b&gt;"));
  CHECK(!contains(page, "<b>"));
  CHECK(count(page, "class=\"area ") == 4);
  CHECK(!contains(page, "nan"));
}

TEST_CASE("the summary of a report includes figures of local SGD or L-BFGS") {
  const TemporaryFolder folder;
  const auto summed_up = [&](const char* algorithm) {
    std::string lines;
    for (int step = 1; step <= 2; ++step) {
      const std::string line = step_line(step, 1.0 / step);
      lines += line.substr(0, line.rfind('}')) + "," + algorithm + "}\n";
    }
    write_file(folder / "steps.jsonl", lines);
    return run_program({"report", folder / "steps.jsonl"}).out;
  };
  const std::string local = summed_up(R"("local":{"steps":8,"drift":0.25})");
  CHECK_MESSAGE(contains(local, "local SGD                 8 steps per mean, last drift 0.25"), local);
  const std::string lbfgs = summed_up(
      R"("lbfgs":{"evaluations":3,"portions":48,"backups":1,"objective":0.5,"largest":0.125,"end":"converged"})");
  CHECK_MESSAGE(contains(lbfgs,
                         "L-BFGS                    6 evaluations, 96 portions, 2 backups; objective 0.5, "
                         "largest gradient 0.125, converged"),
                lbfgs);
  CHECK(!contains(lbfgs, "local SGD"));
  check_report_refused(
      R"({"step":1,"loss":1,"samples":5,"seconds":{"step":1,"compute_all":1,"reduce":0,"apply_all":0},)"
      R"("lbfgs":{"evaluations":-1}})"
      "\n",
      {"line 1", "evaluations"});
}

TEST_CASE("the charts of a long run are thinned but keep extreme values") {
  const TemporaryFolder folder;
  constexpr int kSteps = 100'000;
  std::string lines;
  for (int step = 1; step <= kSteps; ++step) lines += step_line(step, step == 54'321 ? 99.5 : 0.25);
  write_file(folder / "steps.jsonl", lines);
  const auto run = read_run(folder / "steps.jsonl");
  CHECK(run.steps == kSteps);
  const auto& stretches = run.numbers.stretches();
  CHECK(stretches.size() <= 2048);
  CHECK(stretches.size() > 1024);
  std::int64_t steps = 0;
  double loss = 0;
  double most = 0;
  double last = 0;
  for (const auto& stretch : stretches) {
    CHECK(stretch.first == last + 1);
    last = stretch.last;
    steps += stretch.count;
    loss += stretch.sum[troupe::cli::kStepLoss];
    most = std::max(most, stretch.most[troupe::cli::kStepLoss]);
  }
  CHECK(steps == kSteps);
  CHECK(last == kSteps);
  CHECK(most == 99.5);
  CHECK(loss == doctest::Approx(0.25 * (kSteps - 1) + 99.5));
  REQUIRE(run_program({"report", folder / "steps.jsonl", "--html", folder / "run.html"}).status == 0);
  CHECK(read_file(folder / "run.html").size() < 500'000);
}

TEST_CASE("an incomplete last line of a report is ignored with a notice") {
  const TemporaryFolder folder;
  const std::string whole = step_line(1, 0.5) + step_line(2, 0.25);
  const std::string third = step_line(3, 0.125);
  for (const std::size_t length : {std::size_t{1}, third.size() / 2, third.size() - 2}) {
    write_file(folder / "steps.jsonl", whole + third.substr(0, length));
    const Finished run = run_program({"report", folder / "steps.jsonl"});
    CHECK(run.status == 0);
    CHECK(contains(run.out, "steps                     2\n"));
    CHECK(contains(run.err, "the last line of "));
  }
  write_file(folder / "steps.jsonl", whole + third.substr(0, third.size() - 1));
  CHECK(contains(run_program({"report", folder / "steps.jsonl"}).out, "steps                     3\n"));
}

TEST_CASE("an invalid report is refused with the number of the line") {
  const std::string step = step_line(1, 0.5);
  check_report_refused("", {"steps.jsonl", "no step"});
  check_report_refused("{\"st", {"no step"});
  check_report_refused(step + "loss 0.5\n" + step_line(2, 0.5), {"steps.jsonl", "line 2"});
  check_report_refused(step + "\n" + step_line(2, 0.5), {"line 2"});
  check_report_refused(step + "[1,2]\n", {"line 2", "not a JSON object"});
  check_report_refused(step + "{\"other\":1}\n", {"line 2", "no step, epoch, evaluation or profile"});
  check_report_refused(step + "{\"step\":2,\"loss\":1}\n", {"line 2", "seconds"});
  check_report_refused(step + "{\"step\":\"two\"}\n", {"line 2"});
  check_report_refused(step_line(2, 0.5) + step, {"line 2", "step 1 after step 2"});
  check_report_refused(step + epoch_line(2, 1, 0.5) + epoch_line(2, 1, 0.5), {"line 3", "epoch 2 after epoch 2"});
  check_report_refused(step + std::string((std::size_t{16} << 20) + 1, ' '), {"line 2", "longer"});
  check_refused({"report", "no-such-file.jsonl"}, {"no-such-file.jsonl"});
  check_refused({"report", "/dev/null"}, {"/dev/null"});
}

TEST_CASE("a report with very deep nesting is refused") {
  const TemporaryFolder folder;
  write_file(folder / "deep.jsonl",
             R"({"step":1,"repairs":)" + std::string(200'000, '[') + std::string(200'000, ']') + "}\n");
  const Finished run = run_program({"report", folder / "deep.jsonl"});
  CHECK(run.status == 1);
  CHECK_MESSAGE(run.err.find("nested deeper than") != std::string::npos, run.err);
}

TEST_CASE("steps with a loss that is not finite have no point in the chart") {
  const TemporaryFolder folder;
  std::string broken = step_line(2, 0.5);
  broken.replace(broken.find("0.500000"), 8, "null");
  write_file(folder / "steps.jsonl", broken);
  const Finished run = run_program({"report", folder / "steps.jsonl", "--html", folder / "run.html"});
  CHECK_MESSAGE(run.status == 0, run.err);
  CHECK(contains(read_file(folder / "run.html"), "No step has finite numbers."));
  CHECK(!contains(read_file(folder / "run.html"), "nan"));
}

TEST_CASE("--log-level sets the lowest level of messages that the command prints") {
  const TemporaryFolder folder;
  write_file(folder / "cut.jsonl", step_line(1, 0.5) + R"({"step":2,"lo)");
  const auto told = [&](const std::vector<std::string>& level) {
    const Finished run = run_program(joined({"report", folder / "cut.jsonl"}, level));
    CHECK(run.status == 0);
    return run.err;
  };
  CHECK(told({}).find("is incomplete") != std::string::npos);
  CHECK(told({"--log-level", "warning"}).find("is incomplete") != std::string::npos);
  CHECK(told({"--log-level", "error"}).empty());
  check_refused({"report", folder / "cut.jsonl", "--log-level", "loud"}, {"--log-level"});
}
