#include <doctest/doctest.h>

#include <cmath>
#include <filesystem>

#include "actors/functions/bundle.hpp"
#include "actors/trainer/report_rows.hpp"
#include "actors/trainer/train_functions.hpp"
#include "support/captured_errors.hpp"
#include "support/errors.hpp"
#include "support/temporary_folder.hpp"
#include "support/text.hpp"
#include "troupe/tune.hpp"

using namespace troupe;
using troupe_test::trainer_options;

namespace {

struct HearsAll : Callback {
  std::vector<std::string> calls;
  std::vector<Report> reports;
  std::int64_t stop_after = -1;

  void on_start(const RunStart& run) override { calls.push_back("start " + std::to_string(run.world_size)); }
  void on_report(const Report& report) override {
    calls.emplace_back("report");
    reports.push_back(report);
  }
  void on_epoch(const Report& last) override { calls.push_back("epoch " + last.metrics.at("epoch").dump()); }
  void on_checkpoint(const CheckpointInfo& checkpoint) override {
    calls.push_back("checkpoint " + std::to_string(checkpoint.number));
  }
  void on_failure(const Error&, bool goes_on) override { calls.emplace_back(goes_on ? "loss" : "failure"); }
  void on_end(const RunEnd& end) override { calls.emplace_back(end.failed ? "failed" : "end"); }
  bool wants_to_stop() const override { return stop_after >= 0 && std::ssize(reports) >= stop_after; }
};

/// Returns all reports that are complete.
std::vector<Json> drain(ReportRows& rows) {
  std::vector<Json> all;
  while (auto metrics = rows.next()) all.push_back(std::move(*metrics));
  return all;
}

}  // namespace

TEST_CASE("report n combines the n-th reports of all ranks, for any interleaving") {
  ReportRows rows({}, 3);
  rows.add(0, {{"loss", 1}}, 10);
  rows.add(0, {{"loss", 10}}, 10);
  rows.add(2, {{"loss", 3}}, 10);
  CHECK(drain(rows).empty());
  rows.add(1, {{"loss", 5}}, 10);
  CHECK(drain(rows) == std::vector<Json>{{{"loss", 3.0}}});
  CHECK(rows.iteration() == 1);
  rows.add(1, {{"loss", 20}}, 10);
  CHECK(drain(rows).empty());
  rows.end(2);  // rank 2 will not report again
  CHECK(drain(rows) == std::vector<Json>{{{"loss", 15.0}}});
  CHECK(rows.iteration() == 2);
}

TEST_CASE("the memory of reports that wait for other ranks is bounded, and the error names these ranks") {
  constexpr std::size_t kHalf = std::size_t{150} << 20;
  ReportRows rows({}, 3);
  rows.add(0, {{"loss", 1}}, kHalf);
  rows.add(1, {{"loss", 1}}, 10);
  rows.add(2, {{"loss", 1}}, 10);
  CHECK(drain(rows).size() == 1);
  rows.add(1, {{"loss", 1}}, kHalf);
  const std::string said = message_of([&] { rows.add(1, {{"loss", 1}}, kHalf); });
  CHECK(said.find("waits for those of rank 0, 2, which has made 1; set reports.first_rank_only") != std::string::npos);
  ReportRows at_the_end({.every = 0}, 1);
  for (int i = 0; i < 3; ++i) {
    at_the_end.add(0, {{"loss", i}}, kHalf);
    CHECK(drain(at_the_end).empty());
  }
  ReportRows first({.first_rank_only = true}, 2);
  for (int i = 0; i < 3; ++i) first.add(1, {{"loss", i}}, kHalf);
}

TEST_CASE("metrics of ranks are combined as configured, for every report, every few reports, or at the end") {
  ReportOptions options;
  options.metrics = {
      {"sum", Aggregate::sum}, {"max", Aggregate::max}, {"all", Aggregate::all}, {"first", Aggregate::first}};
  ReportRows rows(options, 2);
  rows.add(0, {{"sum", 1}, {"max", 1}, {"all", 1}, {"first", 1}, {"mean", 1}, {"text", "a"}, {"alone", 4}}, 10);
  rows.add(1, {{"sum", 2}, {"max", 2}, {"all", 2}, {"first", 2}, {"mean", 2}, {"text", "b"}}, 10);
  const auto made = drain(rows);
  REQUIRE(made.size() == 1);
  CHECK(made[0] ==
        Json({{"sum", 3.0}, {"max", 2.0}, {"all", {1, 2}}, {"first", 1}, {"mean", 1.5}, {"text", "a"}, {"alone", 4}}));

  options = {.aggregate = Aggregate::sum, .every = 2};
  ReportRows pairs(options, 2);
  for (int i = 1; i <= 5; ++i)
    for (int rank = 0; rank < 2; ++rank) pairs.add(rank, {{"x", i}}, 10);
  CHECK(drain(pairs) == std::vector<Json>{{{"x", 6.0}}, {{"x", 14.0}}});
  pairs.end(0);
  pairs.end(1);
  CHECK(drain(pairs) == std::vector<Json>{{{"x", 10.0}}});

  options = {.metrics = {{"named", Aggregate::mean}}, .every = 2};
  ReportRows epochs(options, 1);
  for (int i = 0; i < 4; ++i) epochs.add(0, {{"epoch", (i + 1) / 2}, {"named", (i + 1) / 2}}, 10);
  CHECK(drain(epochs) == std::vector<Json>{{{"epoch", 1.0}, {"named", 0.5}}, {{"epoch", 2.0}, {"named", 1.5}}});

  ReportRows last({.aggregate = Aggregate::max, .every = 0}, 2);
  for (int i = 1; i <= 5; ++i) last.add(i % 2, {{"x", i}}, 10);
  CHECK(drain(last).empty());
  last.end(0);
  last.end(1);
  CHECK(drain(last) == std::vector<Json>{{{"x", 5.0}}});
  CHECK(last.iteration() == 3);

  ReportRows first({.first_rank_only = true}, 2);
  first.add(1, {{"x", 1}}, 10);
  first.add(0, {{"x", 2}}, 10);
  CHECK(drain(first) == std::vector<Json>{{{"x", 2}}});
  CHECK(code_of([] { ReportRows({.every = -1}, 1); }) == ErrorCode::invalid_argument);
}

TEST_CASE("JSON that is nested so deeply that copies would overflow the stack is refused") {
  const auto nested = [](std::size_t levels) { return std::string(levels, '[') + '1' + std::string(levels, ']'); };
  CHECK(json_from(nested(100)).is_array());
  for (const std::size_t levels : {101, 1'000'000})
    CHECK(code_of([&] { json_from(nested(levels)); }) == ErrorCode::protocol);
  CHECK(code_of([] { json_from("{"); }) == ErrorCode::protocol);
  Trainer trainer(trainer_options(Placement::in_process, 1));
  const auto report = [&] { here().report({{"deep", Json::parse(nested(1000))}}); };
  CHECK(troupe_test::contains(message_of([&] { trainer.run(report); }), "nested deeper than 100 levels"));
}

TEST_CASE("JSON that is nested 300,000 levels deep is refused before it is copied or written") {
  const auto deep = [] {
    Json json = 1;
    for (int level = 0; level < 300'000; ++level) json = Json::array({std::move(json)});
    return json;
  };
  Json config;
  config["deep"] = deep();
  const auto refused = [](const auto& call) {
    CHECK(troupe_test::contains(message_of(call), "is nested deeper than 100 levels"));
    CHECK(where_of(call).worker <= 0);
  };
  Trainer trainer(trainer_options(Placement::in_process, 1));
  refused([&] { trainer.run("reports", config); });
  refused([&] { trainer.run([&] { here().report(config); }); });
  refused([&] { trainer.run([&] { here().save_checkpoint(config); }); });
  refused([&] { trainer.run([&] { return TaskResult{.json = deep()}; }); });
  CHECK(code_of([&] { trainer.run("reports", config); }) == ErrorCode::invalid_argument);
  tune::Options options;
  options.space["deep"] = deep();
  refused([&] { tune::run({.function = "reports"}, options); });
  tune::Trainable trainable{.function = "reports"};
  trainable.config = std::move(config);
  refused([&] { tune::run(trainable, {}); });
}

TEST_CASE("reports of workers arrive in order, and callbacks receive all events") {
  for (const Placement placement : {Placement::in_process, Placement::processes}) {
    Trainer trainer(trainer_options(placement, 3));
    const auto heard = std::make_shared<HearsAll>();
    std::int64_t iteration = 0;
    RunHandle running = trainer.run_generator("reports", {{"reports", 20}}, {.callbacks = {heard}});
    for (const Report& report : running) {
      CHECK(report.iteration == ++iteration);
      CHECK(report.metrics.at("rank") == 1.0);
      CHECK(report.metrics.at("twice") == 2 * iteration);
      CHECK(report.metrics.at("name") == "rank 0");
      CHECK(std::isnan(report.metrics.at("nan").get<double>()));
    }
    CHECK(iteration == 20);
    CHECK(running.is_finished());
    CHECK(running.returns().size() == 3);
    CHECK(heard->calls.front() == "start 3");
    CHECK(heard->calls.back() == "end");
    CHECK(std::ranges::count(heard->calls, "report") == 20);
    for (int epoch = 0; epoch < 4; ++epoch)
      CHECK(std::ranges::count(heard->calls, "epoch " + std::to_string(epoch)) == 1);
  }
}

TEST_CASE("a callback that requests a stop ends the functions") {
  for (const Placement placement : {Placement::in_process, Placement::processes}) {
    Trainer trainer(trainer_options(placement, 2));
    const auto heard = std::make_shared<HearsAll>();
    heard->stop_after = 3;
    const RunResults results = trainer.run("wait", {}, {.callbacks = {heard}});
    for (const TaskResult& each : results) CHECK(each.json == true);
    CHECK(std::ssize(heard->reports) < 10'000);
    CHECK(heard->calls.back() == "end");
  }
}

TEST_CASE("an exception of a callback ends the run and propagates") {
  struct Refuses : Callback {
    void on_report(const Report&) override { throw std::runtime_error("no more"); }
  };
  Trainer trainer(trainer_options(Placement::in_process, 2));
  CHECK_THROWS_WITH(trainer.run("wait", {}, {.callbacks = {std::make_shared<Refuses>()}}), "no more");
  CHECK(trainer.run("place").size() == 2);
}

TEST_CASE("a run that fails by itself informs callbacks, and throws when its results are requested") {
  const troupe_test::TemporaryFolder around;
  const std::string folder = around / "checkpoints";
  Trainer trainer(trainer_options(Placement::in_process, 2));
  const auto heard = std::make_shared<HearsAll>();
  const auto save = [&] {
    if (here().rank() == 0) std::filesystem::remove_all(folder);
    here().save_checkpoint({});
  };
  RunHandle running = trainer.run_generator(save, {}, {.callbacks = {heard}, .checkpoints = {.folder = folder}});
  CHECK(code_of([&] { running.next(); }) == ErrorCode::bad_file);
  CHECK(running.is_finished());
  CHECK(code_of([&] { running.returns(); }) == ErrorCode::bad_file);
  CHECK(heard->calls == std::vector<std::string>{"start 2", "failure", "failed"});
}

TEST_CASE("callbacks of a dropped run receive its end") {
  Trainer trainer(trainer_options(Placement::in_process, 2));
  const auto heard = std::make_shared<HearsAll>();
  CHECK(trainer.run_generator("wait", {}, {.callbacks = {heard}}).next());
  CHECK(heard->calls.front() == "start 2");
  CHECK(heard->calls.back() == "end");
}

TEST_CASE("a failed run throws its own error even if callbacks throw") {
  struct Refuses : Callback {
    void on_failure(const Error&, bool) override { throw std::runtime_error("not that"); }
    void on_end(const RunEnd&) override { throw std::runtime_error("nor that"); }
  };
  const troupe_test::CapturedErrors errors;
  Trainer trainer(trainer_options(Placement::in_process, 2));
  const auto heard = std::make_shared<HearsAll>();
  const auto run = [&] {
    trainer.run("ten", {{"how", "throws"}}, {.callbacks = {std::make_shared<Refuses>(), heard}});
  };
  CHECK(troupe_test::contains(message_of(run), "out of luck"));
  CHECK(heard->calls.at(heard->calls.size() - 2) == "failure");
  CHECK(heard->calls.back() == "failed");
  CHECK(troupe_test::contains(errors.text(), "a callback failed while it handled a failure: not that"));
  CHECK(troupe_test::contains(errors.text(), "a callback failed at the end of the run: nor that"));
}

TEST_CASE("callbacks receive the name of the function as the user knows it") {
  struct NotesName : Callback {
    std::string name;
    void on_start(const RunStart& run) override { name = run.name; }
  };
  Trainer trainer(trainer_options(Placement::in_process, 1));
  const auto noted = std::make_shared<NotesName>();
  trainer.run("shard", {}, {.dataset = load_data("synthetic-linear"), .callbacks = {noted}});
  CHECK(noted->name == "shard");
  trainer.run([] {}, {}, {.callbacks = {noted}});
  CHECK(noted->name == "a function");
}
