#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>

#include "actors/trainer/train_functions.hpp"
#include "actors/trainer/trainer_checkpoints.hpp"
#include "runtime/processes/cores.hpp"
#include "support/errors.hpp"
#include "support/temporary_folder.hpp"

using namespace troupe;
using troupe_test::trainer_options;

namespace {

struct NotesFailures : Callback {
  std::vector<std::string> heard;
  std::vector<std::pair<int, int>> attempts;  ///< with the number of ranks of each
  std::int64_t reported = 0;                  ///< the last reported iteration
  std::int64_t iterations = -1;               ///< the number in on_end
  void on_start(const RunStart& run) override { attempts.emplace_back(run.attempt, run.world_size); }
  void on_report(const Report& report) override { reported = report.iteration; }
  void on_end(const RunEnd& end) override { iterations = end.iterations; }
  void on_failure(const Error& error, bool goes_on) override {
    heard.push_back((goes_on ? "goes on: " : "ends: ") + std::string(error.what()));
  }
};

TrainerOptions impatient(Placement placement, int workers) {
  TrainerOptions options = trainer_options(placement, workers);
  options.timeouts.collective = std::chrono::milliseconds(1500);
  options.timeouts.stop = std::chrono::milliseconds(1000);
  return options;
}

}  // namespace

TEST_CASE("after a loss, a function is called again with the last complete checkpoint, and the result is the same") {
  Trainer trainer(trainer_options(Placement::processes, 3));
  for (const char* how : {"", "killed"}) {
    const auto failures = std::make_shared<NotesFailures>();
    const RunResults results = trainer.run("ten", {{"how", how}}, {.callbacks = {failures}});
    REQUIRE(results.size() == 3);
    const bool killed = *how != 0;
    for (const TaskResult& each : results) {
      CHECK(each.json.at("sum") == 10);
      CHECK(each.json.at("attempt") == (killed ? 2 : 1));
      CHECK(each.json.at("from").get<int>() >= (killed ? 5 : 0));
    }
    CHECK(trainer.last_checkpoint()->state.at("done") == 10);
    CHECK(trainer.last_checkpoint()->tensors.at(0).values.at(0) == 10);
    REQUIRE(failures->heard.size() == (killed ? 1 : 0));
    if (killed)
      CHECK(failures->heard[0].find("goes on: a worker was lost: its process was ended by signal 9 (worker 1") == 0);
  }
}

TEST_CASE("an error on all other ranks names the rank that is killed during a collective") {
  const troupe_test::TemporaryFolder notes;
  Trainer trainer(trainer_options(Placement::processes, 3));
  trainer.run("add until killed", {{"notes", notes.path().string()}});
  for (const char* rank : {"0", "2"}) {
    std::string note;
    std::getline(std::ifstream(notes / rank), note);
    CHECK_MESSAGE(note.starts_with("worker_lost: worker 1, all_reduce(1000000 f32, mean) at train_functions.cpp:"),
                  note);
    CHECK_MESSAGE(note.find("rank 1 (") != std::string::npos, note);
  }
}

TEST_CASE("a function is called again after a loss while data is read, before the ranks have met") {
  const troupe_test::TemporaryFolder around;
  Trainer trainer(trainer_options(Placement::processes, 3));
  const auto failures = std::make_shared<NotesFailures>();
  const std::string data = "deadly_for_1:" + (around / "read");
  const RunResults results = trainer.run("place", {}, {.dataset = data, .callbacks = {failures}});
  for (const TaskResult& each : results) CHECK(each.json.at("attempt") == 2);
  REQUIRE(failures->heard.size() == 1);
  CHECK(failures->heard[0].find("goes on: a worker was lost: its process was ended by signal 9 (worker 1") == 0);
}

TEST_CASE("a worker_lost that a function throws is the function's own error, and not the loss of a rank") {
  Trainer trainer(trainer_options(Placement::in_process, 2));
  const auto failures = std::make_shared<NotesFailures>();
  const auto lose_own = [] {
    if (here().rank() == 0) throw Error(ErrorCode::worker_lost, "a worker of an inner trainer", {.worker = 1});
  };
  CHECK(code_of([&] { trainer.run(lose_own, {}, {.callbacks = {failures}}); }) == ErrorCode::worker_lost);
  CHECK(failures->attempts.size() == 1);
}

TEST_CASE("more losses than max_failures end the run with an error, and the trainer can be used again") {
  TrainerOptions options = trainer_options(Placement::processes, 2);
  options.fault_tolerance.max_failures = 1;
  Trainer trainer(options);
  const auto failures = std::make_shared<NotesFailures>();
  const auto run = [&] { trainer.run("ten", {{"how", "killed"}, {"times", 2}}, {.callbacks = {failures}}); };
  const std::string said = message_of(run);
  CHECK(said.find("loss 2 within an hour, more than max_failures = 1") != std::string::npos);
  CHECK(failures->reported > 0);
  CHECK(failures->iterations == failures->reported);
  CHECK(trainer.run("place").size() == 2);
}

TEST_CASE("a run with a range of workers continues without the lost worker, and the next run has all workers again") {
  TrainerOptions options = trainer_options(Placement::processes, 1);
  if (usable_cores() < 2) return;  // the number of cores determines the number of workers
  options.num_workers = {1, 2};
  Trainer trainer(options);
  REQUIRE(trainer.num_workers() == 2);
  const RunResults results = trainer.run("ten", {{"how", "killed"}});
  REQUIRE(results.size() == 1);
  CHECK(results.at(0).json.at("sum") == 10);
  CHECK(results.at(0).json.at("world_size") == 1);
  const auto next = std::make_shared<NotesFailures>();
  CHECK(trainer.run("place", {}, {.callbacks = {next}}).size() == 2);
  CHECK(next->attempts == std::vector<std::pair<int, int>>{{1, 2}});
}

TEST_CASE("a worker that stops replying is cut off and replaced") {
  TrainerOptions options = trainer_options(Placement::processes, 2);
  options.fault_tolerance.suspect_after = std::chrono::milliseconds(500);
  options.fault_tolerance.cut_after = std::chrono::milliseconds(1500);
  Trainer trainer(options);
  CHECK(trainer.run("ten", {{"how", "stopped"}})[0].json.at("attempt") == 2);
}

TEST_CASE("an exception of a function ends the run, and the error names its worker") {
  for (const Placement placement : {Placement::in_process, Placement::processes}) {
    Trainer trainer(trainer_options(placement, 3));
    const auto failures = std::make_shared<NotesFailures>();
    try {
      trainer.run("ten", {{"how", "throws"}}, {.callbacks = {failures}});
      FAIL("nothing was thrown");
    } catch (const Error& error) {
      CHECK(error.code() == ErrorCode::model_failed);
      CHECK(error.message() == "out of luck");
      CHECK(error.where().worker == 1);
      CHECK(error.where().phase == "run");
    }
    CHECK(failures->heard.size() == 1);
    CHECK(trainer.run("place").size() == 3);
  }
}

TEST_CASE("if a function fails to start on one worker, it ends on the others, which can be used again") {
  Trainer trainer(trainer_options(Placement::processes, 3));
  CHECK(where_of([&] { trainer.run("wait_but_for_1"); }).worker == 1);
  CHECK(trainer.run("place").size() == 3);
}

TEST_CASE("an error on the other ranks names a rank that returns early or calls something else") {
  for (const Placement placement : {Placement::in_process, Placement::processes}) {
    Trainer trainer(trainer_options(placement, 3));
    const std::string early = message_of([&] { trainer.run("ten", {{"how", "returns"}}); });
    CHECK(early.find("rank 1 (") != std::string::npos);
    CHECK(early.find("has returned from its function") != std::string::npos);
    const std::string other = message_of([&] { trainer.run("ten", {{"how", "other"}}); });
    CHECK(other.find("ranks called different collectives or passed different sizes: ") != std::string::npos);
    CHECK(other.find("barrier at train_functions.cpp:") != std::string::npos);
    CHECK(other.find("all_reduce(1 f32, mean) at train_functions.cpp:") != std::string::npos);
  }
}

TEST_CASE("a hanging rank is lost after the timeout, and the function is called again") {
  Trainer trainer(impatient(Placement::processes, 3));
  const auto begin = std::chrono::steady_clock::now();
  const RunResults results = trainer.run("ten", {{"how", "hangs"}});
  CHECK(results[0].json.at("attempt") == 2);
  CHECK(results[0].json.at("sum") == 10);
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(60));
}

TEST_CASE("a function that ignores the stop request and keeps reporting is lost after the timeout") {
  Trainer trainer(impatient(Placement::processes, 3));
  CHECK(message_of([&] { trainer.run("flood"); }).find("out of luck") != std::string::npos);
  for (const int rank : {0, 2}) CHECK(trainer.workers().workers().at(static_cast<std::size_t>(rank)).state == "lost");
}

TEST_CASE("checkpoints are folders with files and tensors, and runs resume from the newest") {
  const troupe_test::TemporaryFolder around;
  const std::string folder = around / "checkpoints";
  const std::string file = around / "vocabulary.txt";
  std::ofstream(file) << "a b c";
  const RunOptions keeping{.checkpoints = {.folder = folder}};
  for (const Placement placement : {Placement::in_process, Placement::processes}) {
    Trainer trainer(trainer_options(placement, 2));
    trainer.run("ten", {}, keeping);
    CHECK(TrainerCheckpoints(keeping.checkpoints).newest() == 10);
    CHECK(std::filesystem::exists(folder + "/checkpoint-000009/checkpoint.json"));
    CHECK_FALSE(std::filesystem::exists(folder + "/checkpoint-000008"));
    const RunResults resumed = trainer.run("ten", {}, {.checkpoints = {.folder = folder, .resume = true}});
    CHECK(resumed[1].json.at("from") == 10);
    CHECK(resumed[1].json.at("sum") == 10);
    trainer.run("files", {{"files", {file}}}, keeping);
    const Checkpoint last = *trainer.last_checkpoint();
    CHECK(last.number == 11);
    CHECK(last.files.at("vocabulary.txt") == "a b c");
    const Checkpoint read = TrainerCheckpoints(keeping.checkpoints).read(11);
    CHECK(read.state == Json({{"lr", 0.5}}));
    CHECK(read.files == last.files);
    CHECK(read.tensors.at(0).values == std::vector<float>{0, 1, 2, 3});
    trainer.execute("place");
    CHECK(trainer.last_checkpoint()->number == 11);
    trainer.run("place");
    CHECK_FALSE(trainer.last_checkpoint());
    std::filesystem::remove_all(folder);
  }
  Trainer trainer(trainer_options(Placement::in_process, 2));
  CHECK(code_of([&] { trainer.run("files", {{"files", {"/nowhere/at/all"}}}); }) == ErrorCode::bad_file);
  CHECK(code_of([&] { trainer.run("ten", {}, {.checkpoints = {.resume = true}}); }) == ErrorCode::invalid_argument);
}

TEST_CASE("checkpoints contain the number of reports before them, and a resumed run continues this count") {
  struct NotesIterations : Callback {
    std::vector<std::int64_t> reports, checkpoints;
    void on_report(const Report& report) override { reports.push_back(report.iteration); }
    void on_checkpoint(const CheckpointInfo& checkpoint) override { checkpoints.push_back(checkpoint.iteration); }
  };
  const troupe_test::TemporaryFolder around;
  const std::string folder = around / "checkpoints";
  Trainer trainer(trainer_options(Placement::in_process, 2));
  std::int64_t begun_from = -1;
  const auto train = [&] {
    const auto before = here().load_checkpoint();
    if (here().rank() == 0) begun_from = before ? before->iteration : 0;
    for (int i = 0; i < 2; ++i) {
      here().report({{"i", i}});
      here().save_checkpoint({});
    }
    here().report({{"i", 2}});
  };
  using Iterations = std::vector<std::int64_t>;
  const auto run = [&] {
    const auto noted = std::make_shared<NotesIterations>();
    trainer.run(train, {}, {.callbacks = {noted}, .checkpoints = {.folder = folder, .resume = true}});
    return noted;
  };
  CHECK(run()->reports == Iterations{1, 2, 3});
  CHECK(run()->reports == Iterations{3, 4, 5});
  CHECK(begun_from == 2);
  CHECK(run()->checkpoints == Iterations{5, 6});
  const std::string described = folder + "/checkpoint-000006/checkpoint.json";
  Json older = Json::parse(std::ifstream(described));
  older.erase("iteration");
  std::ofstream(described) << older;
  CHECK(run()->reports == Iterations{1, 2, 3});
}

TEST_CASE("a checkpoint that some ranks do not save causes an error, at the end or after a timeout") {
  Trainer trainer(trainer_options(Placement::in_process, 3));
  for (const int times : {1, 1'000'000}) {
    std::atomic<int> saved = 0;
    const auto save_on_one = [&saved, times] {
      for (; here().rank() == 1 && saved < times && !here().should_stop(); ++saved) here().save_checkpoint({});
    };
    const std::string said = message_of([&] { trainer.run(save_on_one); });
    CHECK(said.find("save_checkpoint must be called on all ranks, but was not called on rank 0, 2") !=
          std::string::npos);
    CHECK(saved < 1'000'000);
  }
}

TEST_CASE("a damaged checkpoint is an error") {
  const troupe_test::TemporaryFolder around;
  const std::string folder = around / "damaged";
  const RunCheckpoints options{.folder = folder};
  TrainerCheckpoints(options).write({.state = {{"a", 1}}, .tensors = {{"t", {1}, {2}}}, .number = 3});
  std::ofstream(folder + "/checkpoint-000003/checkpoint.json") << "{\"troupe_checkpoint\": 1}";
  CHECK(code_of([&] { TrainerCheckpoints(options).read(3); }) == ErrorCode::bad_file);
  CHECK(code_of([&] { TrainerCheckpoints(options).read(4); }) == ErrorCode::bad_file);
}
