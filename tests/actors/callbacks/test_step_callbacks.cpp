#include <doctest/doctest.h>

#include <thread>

#include "actors/callbacks/event_records.hpp"
#include "actors/test_models.hpp"
#include "models/files.hpp"
#include "support/captured_errors.hpp"
#include "support/errors.hpp"
#include "support/optimizers.hpp"
#include "support/text.hpp"

using namespace troupe;
using namespace troupe_test;
using troupe::testing::read_file;
using troupe::testing::TemporaryFolder;

namespace {

/// Records its calls, and checks the thread.
struct Diary : Callback {
  std::vector<std::string> heard;
  std::vector<Report> reports;
  std::vector<Error> errors;
  std::vector<CheckpointInfo> checkpoints;
  RunEnd last;
  bool elsewhere = false;

  void on_start(const RunStart& run) override {
    note("start " + std::to_string(run.world_size) + (run.resumed ? " resumed" : ""));
  }
  void on_report(const Report& report) override {
    note("report " + std::to_string(report.iteration));
    reports.push_back(report);
  }
  void on_epoch(const Report& last_report) override { note("epoch " + last_report.metrics.at("epoch").dump()); }
  void on_checkpoint(const CheckpointInfo& checkpoint) override {
    note("checkpoint " + std::to_string(checkpoint.number));
    checkpoints.push_back(checkpoint);
  }
  void on_failure(const Error& error, bool goes_on) override {
    note(goes_on ? "loss" : "failure");
    errors.push_back(error);
  }
  void on_end(const RunEnd& end) override {
    note(end.failed ? "failed" : "end");
    last = end;
  }

 private:
  void note(std::string what) {
    heard.push_back(std::move(what));
    elsewhere |= std::this_thread::get_id() != thread_;
  }
  std::thread::id thread_ = std::this_thread::get_id();
};

/// 12 samples in two shards, 2 steps per epoch.
Options told(Placement placement, Callbacks callbacks) {
  Options options = quiet_options(placement, 2);
  options.num_shards = 2;
  options.config = R"({"data": "measured-classes", "batch_size": 3})";
  options.callbacks = std::move(callbacks);
  return options;
}

using Entries = std::vector<std::string>;

}  // namespace

TEST_CASE("DistributedSGD informs callbacks of steps, epochs, evaluations and the end, on the thread that calls it") {
  for (const Placement placement : kPlacements) {
    const auto diary = std::make_shared<Diary>();
    {
      DistributedSGD sgd("mlp", told(placement, {diary}));
      CHECK(diary->heard == Entries{"start 2"});
      sgd.warmup();
      for (int step = 0; step < 3; ++step) sgd.step();
      sgd.evaluate(EvaluationSet::validation);
      sgd.step();
      sgd.evaluate();
      CHECK(sgd.report().loss == diary->reports.at(4).metrics.at("loss"));
    }
    CHECK(diary->heard == Entries{"start 2", "report 1", "report 2", "epoch 1", "report 3", "report 3", "report 4",
                                  "epoch 2", "report 4", "end"});
    CHECK_FALSE(diary->elsewhere);
    CHECK(diary->last.iterations == 4);
    const Json& step = diary->reports.at(2).metrics;
    CHECK(step.at("epoch") == 2);
    CHECK(step.at("samples") == 6);
    CHECK(step.at("samples_per_second") > 0);
    CHECK(step.at("loss") > 0);
    CHECK(diary->reports.at(3).metrics.contains("validation_accuracy"));
    CHECK(diary->reports.at(5).metrics.at("test_loss") > 0);
  }
}

TEST_CASE("a callback of ten lines works with a trainer's run and with steps") {
  struct KeepsLowest : Callback {
    double lowest = 1e9;
    void on_report(const Report& report) override {
      lowest = std::min(lowest, report.metrics.at("loss").get<double>());
    }
    bool wants_to_stop() const override { return lowest < 1.5; }
  };
  const auto of_steps = std::make_shared<KeepsLowest>();
  Options options = told(Placement::in_process, {of_steps});
  edit(options)->learning_rate = 0.1;
  DistributedSGD sgd("mlp", options);
  int steps = 0;
  for (; steps < 1000 && !sgd.should_stop(); ++steps) sgd.step();
  CHECK(steps < 1000);
  CHECK(sgd.report().loss == of_steps->lowest);

  const auto of_run = std::make_shared<KeepsLowest>();
  Trainer trainer(TrainerOptions{.num_workers = 2});
  const auto train = [] {
    int i = 0;
    for (; i < 20'000 && !here().should_stop(); std::this_thread::sleep_for(std::chrono::milliseconds(1)))
      here().report({{"loss", 3.0 / ++i}});
    return Json(i);
  };
  CHECK(trainer.run(TrainFunction(train), {}, {.callbacks = {of_run}})[0].json < 20'000);
  CHECK(of_run->lowest < 1.5);
}

TEST_CASE("early stopping ends a loop of steps") {
  Options options = told(Placement::in_process, {callbacks::early_stopping({.metric = "test_loss", .patience = 2})});
  edit(options)->learning_rate = 0;
  DistributedSGD sgd("mlp", options);
  int epochs = 0;
  for (; epochs < 10 && !sgd.should_stop(); ++epochs) {
    for (std::int64_t step = 0; step < sgd.steps_per_epoch(); ++step) sgd.step();
    sgd.evaluate();
  }
  CHECK(epochs == 3);
}

TEST_CASE("callbacks learn of a lost worker before the step that was completed without it") {
  const auto diary = std::make_shared<Diary>();
  Options options = told(Placement::processes, {diary});
  options.fault_tolerance.max_failures = 1;
  options.fault_tolerance.faults = {testing::KillWorker{.worker = 1, .step = 2}};
  DistributedSGD sgd("mlp", options);
  sgd.step();
  sgd.step();
  CHECK(diary->heard == Entries{"start 2", "report 1", "loss", "report 2", "epoch 1"});
  REQUIRE(diary->errors.size() == 1);
  CHECK(diary->errors[0].code() == ErrorCode::worker_lost);
  CHECK(diary->errors[0].where().worker == 1);
}

TEST_CASE("callbacks learn of a failed step, and a later step clears the failure") {
  const auto diary = std::make_shared<Diary>();
  {
    Options options = told(Placement::processes, {diary});
    options.fault_tolerance.faults = {testing::KillWorker{.worker = 1, .step = 2},
                                      testing::KillWorker{.worker = 0, .step = 3}};
    DistributedSGD sgd("mlp", options);
    sgd.step();
    CHECK(code_of([&] { sgd.step(); }) == ErrorCode::worker_lost);
    CHECK(diary->heard == Entries{"start 2", "report 1", "failure"});
    sgd.step();
    CHECK(code_of([&] { sgd.step(); }) == ErrorCode::worker_lost);
  }
  CHECK(diary->heard == Entries{"start 2", "report 1", "failure", "report 2", "epoch 1", "failure", "failed"});
  CHECK(diary->last.failed);
  CHECK(diary->last.iterations == 2);
}

TEST_CASE("callbacks learn of a checkpoint once it is on disk, and of the resumption of a run") {
  const TemporaryFolder folder;
  const auto diary = std::make_shared<Diary>();
  Options options = told(Placement::in_process, {diary});
  options.checkpoint = {.folder = folder / "run", .every_steps = 3, .keep = 10};
  {
    DistributedSGD sgd("mlp", options);
    for (int step = 0; step < 5; ++step) sgd.step();
    sgd.checkpoint();
    sgd.save_state(folder / "state");
    sgd.step();  // its checkpoint is finished at the end
  }
  std::vector<std::int64_t> numbers;
  for (const CheckpointInfo& each : diary->checkpoints) {
    numbers.push_back(each.number);
    CHECK(each.iteration == each.number);
    CHECK(std::filesystem::exists(each.path + "/manifest.json"));
  }
  std::ranges::sort(numbers);
  CHECK(numbers == std::vector<std::int64_t>{3, 5, 5, 6});
  CHECK(diary->heard.at(diary->heard.size() - 2) == "checkpoint 6");
  CHECK(diary->heard.back() == "end");

  const auto later = std::make_shared<Diary>();
  options.callbacks = {later};
  options.checkpoint.resume = true;
  DistributedSGD sgd("mlp", options);
  sgd.step();
  CHECK(later->heard == Entries{"start 2 resumed", "report 7"});
}

TEST_CASE("the best checkpoint of a loop of steps is kept") {
  const TemporaryFolder folder;
  Options options = told(Placement::in_process, {callbacks::best_checkpoint({.path = folder / "best"})});
  options.checkpoint.folder = folder / "run";
  edit(options)->learning_rate = 0.1;
  DistributedSGD sgd("mlp", options);
  for (int step = 0; step < 20; ++step) sgd.step();
  sgd.checkpoint();
  const std::vector<float> best = sgd.weights();
  sgd.set_learning_rate(0);
  sgd.set_weights(std::vector<float>(best.size(), 0.0F));
  sgd.step();
  CHECK(sgd.report().loss > 1.5);
  sgd.checkpoint();
  DistributedSGD other("mlp", told(Placement::in_process, {}));
  other.load_state(folder / "best");
  CHECK(other.weights() == best);
}

TEST_CASE("an exception of a callback propagates from step(), and the step is committed") {
  struct ThrowsOnce : Callback {
    int reports = 0;
    void on_report(const Report&) override {
      if (++reports == 2) throw std::runtime_error("no more");
    }
    void on_end(const RunEnd&) override { throw std::runtime_error("not at the end either"); }
  };
  const CapturedErrors errors;
  DistributedSGD undisturbed("mlp", told(Placement::in_process, {}));
  {
    const auto diary = std::make_shared<Diary>();
    DistributedSGD sgd("mlp", told(Placement::in_process, {diary, std::make_shared<ThrowsOnce>()}));
    sgd.step();
    CHECK_THROWS_WITH(sgd.step(), "no more");
    CHECK(sgd.steps_done() == 2);
    CHECK(sgd.report().step == 2);
    sgd.step();
    for (int step = 0; step < 3; ++step) undisturbed.step();
    CHECK(sgd.weights() == undisturbed.weights());
    CHECK(diary->heard == Entries{"start 2", "report 1", "report 2", "report 3"});
  }
  CHECK(contains(errors.text(), "a callback failed at the end of the run: not at the end either"));
}

TEST_CASE("a failed step throws its own error even if a callback throws during on_failure") {
  struct Refuses : Callback {
    void on_failure(const Error&, bool) override { throw std::runtime_error("not that"); }
  };
  const CapturedErrors errors;
  const auto diary = std::make_shared<Diary>();
  Options options = told(Placement::processes, {std::make_shared<Refuses>(), diary});
  options.fault_tolerance.faults = {testing::KillWorker{.worker = 1, .step = 1}};
  DistributedSGD sgd("mlp", options);
  CHECK(code_of([&] { sgd.step(); }) == ErrorCode::worker_lost);
  CHECK(diary->heard == Entries{"start 2", "failure"});
  CHECK(contains(errors.text(), "a callback failed while it handled a failure: not that"));
}

TEST_CASE("callbacks learn of a step even if another callback throws during on_checkpoint") {
  struct Refuses : Callback {
    void on_checkpoint(const CheckpointInfo&) override { throw std::runtime_error("no room"); }
  };
  const TemporaryFolder folder;
  const auto diary = std::make_shared<Diary>();
  Options options = told(Placement::in_process, {std::make_shared<Refuses>(), diary});
  options.checkpoint = {.folder = folder / "run", .every_steps = 1};
  DistributedSGD sgd("mlp", options);
  CHECK(comes_true([&] {
    try {
      sgd.step();
      return false;
    } catch (const std::runtime_error& error) {
      return error.what() == std::string("no room");
    }
  }));
  CHECK(std::ssize(diary->reports) == sgd.steps_done());
}

TEST_CASE("a callback may call the object that calls it") {
  struct Evaluates : Callback {
    DistributedSGD* sgd = nullptr;
    double loss = 0;
    void on_epoch(const Report&) override { loss = sgd->evaluate().loss; }
  };
  const auto evaluates = std::make_shared<Evaluates>();
  const auto diary = std::make_shared<Diary>();
  DistributedSGD sgd("mlp", told(Placement::in_process, {evaluates, diary}));
  evaluates->sgd = &sgd;
  for (int step = 0; step < 2; ++step) sgd.step();
  CHECK(evaluates->loss == sgd.evaluate().loss);
  CHECK(diary->reports.size() == 4);
}

TEST_CASE("an exception of a callback at the start ends the run") {
  const TemporaryFolder folder;
  const std::string nowhere = folder / "no/log.csv";
  CHECK(where_of([&] { DistributedSGD("mlp", told(Placement::in_process, {callbacks::csv(nowhere)})); }).object ==
        nowhere);
  CHECK(code_of([&] { DistributedSGD("mlp", told(Placement::in_process, {nullptr})); }) == ErrorCode::invalid_argument);
}

TEST_CASE("logs of steps contain evaluations, too") {
  const TemporaryFolder folder;
  {
    DistributedSGD sgd("mlp", told(Placement::in_process, callbacks::from_text("csv:" + (folder / "log.csv") +
                                                                               ",tensorboard:" + (folder / "events"))));
    sgd.step();
    sgd.evaluate();
    sgd.step();
  }
  const std::string csv = read_file(folder / "log.csv");
  CHECK(csv.starts_with(
      "iteration,seconds,accuracy,apply_seconds,compute_seconds,data_seconds,epoch,learning_rate,loss,reduce_seconds,"
      "samples,samples_per_second,step_seconds,test_accuracy,test_loss\n"));
  CHECK(count(csv, "\n") == 4);
  const auto events = events_in(folder / "events");
  REQUIRE(events.size() == 4);
  CHECK(events[1].step == 1);
  CHECK(events[1].scalars.at("loss") > 0);
  CHECK(events[1].scalars.at("accuracy") <= 1);
  CHECK(events[1].scalars.at("compute_seconds") > 0);
  CHECK(events[1].scalars.at("step_seconds") >= events[1].scalars.at("apply_seconds"));
  CHECK(events[2].step == 1);
  CHECK(events[2].scalars.contains("test_accuracy"));
  CHECK(events[3].step == 2);
}
