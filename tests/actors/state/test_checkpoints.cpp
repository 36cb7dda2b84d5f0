#include <doctest/doctest.h>
#include <signal.h>
#include <sys/mount.h>

#include <cmath>
#include <filesystem>

#include "actors/state/state_trial.hpp"
#include "actors/test_models.hpp"
#include "models/files.hpp"
#include "support/captured_errors.hpp"
#include "support/errors.hpp"

using namespace troupe;
using namespace troupe_test;
using troupe::testing::flip_last_byte;
using troupe::testing::read_file;
using troupe::testing::TemporaryFolder;
using troupe::testing::write_file;

namespace fs = std::filesystem;

namespace {

Options dealt(const Deal& deal, const std::string& folder, const std::string& optimizer = "adam") {
  Options options = dealt(deal, kStatistics, optimizer);
  options.checkpoint.folder = folder;
  return options;
}
Options plain(const std::string& folder) { return dealt({Placement::in_process, 2, 1, Strategy::sharded}, folder); }

std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) names.push_back(entry.path().filename());
  std::ranges::sort(names);
  return names;
}
using Names = std::vector<std::string>;

/// The state of a run without checkpoints after this number of steps.
struct UndisturbedRun {
  explicit UndisturbedRun(int steps, const std::string& optimizer = "adam")
      : sgd(kStatistics.name, dealt({Placement::in_process, 1, 1, Strategy::sharded}, "", optimizer)) {
    for (int step = 0; step < steps; ++step) sgd.step();
  }
  DistributedSGD sgd;
};

std::string bytes_of(const std::string& checkpoint) {
  return read_file(checkpoint + "/weights.safetensors") + read_file(checkpoint + "/state.safetensors");
}

/// Saves checkpoints of steps 1 to 3.
void save_three(const std::string& folder) {
  DistributedSGD sgd(kStatistics.name, plain(folder));
  for (int step = 0; step < 3; ++step) {
    sgd.step();
    sgd.checkpoint();
  }
}

}  // namespace

TEST_CASE("a run resumed from its newest checkpoint is bitwise identical, for any distribution of work") {
  const std::vector<Deal> deals{{Placement::in_process, 3, 2, Strategy::driver},
                                {Placement::processes, 2, 1, Strategy::sharded},
                                {Placement::in_process, 1, 1, Strategy::sharded},
                                {Placement::processes, 1, 3, Strategy::driver}};
  for (const char* optimizer : {"sgd", "adam"}) {
    CAPTURE(optimizer);
    const TemporaryFolder folder;
    int steps = 0;
    for (const Deal& deal : deals) {
      Options options = dealt(deal, folder / "run", optimizer);
      options.checkpoint.every_steps = 2;
      options.checkpoint.resume = true;
      if (steps > 0) options.num_shards = 0;  // the number of shards of the checkpoint
      DistributedSGD sgd(kStatistics.name, options);
      CHECK(sgd.steps_done() == steps);
      for (int step = 0; step < 3; ++step) sgd.step();
      steps = (steps + 3) / 2 * 2;
    }
    Options options = dealt(deals[0], folder / "run", optimizer);
    options.checkpoint.resume = true;
    DistributedSGD last(kStatistics.name, options);
    CHECK(last.steps_done() == steps);
    UndisturbedRun undisturbed(steps, optimizer);
    CHECK(last.weights() == undisturbed.sgd.weights());
    CHECK(last.step().loss == undisturbed.sgd.step().loss);
    last.save_state(folder / "last");
    undisturbed.sgd.save_state(folder / "undisturbed");
    CHECK((bytes_of(folder / "last") == bytes_of(folder / "undisturbed")));
  }
}

TEST_CASE("checkpoints are written at steps that are due, and the newest ones are kept") {
  const TemporaryFolder folder;
  {
    Options options = plain(folder / "run");
    options.checkpoint.every_steps = 3;
    options.checkpoint.keep = 2;
    DistributedSGD sgd(kStatistics.name, options);
    for (int step = 1; step <= 10; ++step) {
      const StepReport report = sgd.step();
      CHECK(report.checkpoint.error.empty());
      if (step % 3 == 0) sgd.checkpoint();  // lets the disk finish before the next checkpoint
    }
    CHECK(sgd.report().checkpoint.step == 9);
    CHECK(sgd.report().checkpoint.path == folder / "run/step-00000009");
  }
  CHECK(names_in(folder / "run") == Names{"lock", "step-00000006", "step-00000009"});
  UndisturbedRun undisturbed(9);
  undisturbed.sgd.save_state(folder / "undisturbed");
  CHECK((bytes_of(folder / "run/step-00000009") == bytes_of(folder / "undisturbed")));
}

TEST_CASE("a checkpoint that is being written when a run ends is finished, with the state of its step") {
  const TemporaryFolder folder;
  {
    Options options = plain(folder / "run");
    options.checkpoint.every_steps = 4;
    DistributedSGD sgd(kStatistics.name, options);
    UndisturbedRun two_buffers(1);
    for (int step = 0; step < 5; ++step)  // space for a pinned version is reserved from the beginning
      CHECK(sgd.step().state_bytes == two_buffers.sgd.report().state_bytes / 2 * 3);
  }
  CHECK(names_in(folder / "run") == Names{"lock", "step-00000004"});
  UndisturbedRun undisturbed(4);
  undisturbed.sgd.save_state(folder / "undisturbed");
  CHECK((bytes_of(folder / "run/step-00000004") == bytes_of(folder / "undisturbed")));
}

TEST_CASE("a checkpoint survives the loss of a worker during its creation") {
  const TemporaryFolder folder;
  {
    Options options = dealt({Placement::processes, 2, 1, Strategy::sharded}, folder / "run");
    options.checkpoint.every_steps = 2;
    DistributedSGD sgd(kStatistics.name, options);
    for (int step = 0; step < 2; ++step) sgd.step();
    ::kill(sgd.worker_pids()[0], SIGKILL);  // the worker that converts vectors to canonical order
    CHECK(code_of([&] { sgd.step(); }) == ErrorCode::worker_lost);
    CHECK(sgd.step().step == 3);
  }
  CHECK(names_in(folder / "run") == Names{"lock", "step-00000002"});
  UndisturbedRun undisturbed(2);
  undisturbed.sgd.save_state(folder / "undisturbed");
  CHECK((bytes_of(folder / "run/step-00000002") == bytes_of(folder / "undisturbed")));
}

TEST_CASE("a worker that dies while it exports a vector is replaced and reported, and the checkpoint is complete") {
  const TemporaryFolder folder;
  {
    Options options = dealt({Placement::processes, 2, 1, Strategy::sharded}, folder / "run");
    options.checkpoint.every_steps = 2;
    options.fault_tolerance.max_failures = 5;
    options.fault_tolerance.faults = {testing::KillWorker{.worker = 0, .step = 3, .phase = "checkpoint"}};
    DistributedSGD sgd(kStatistics.name, options);
    for (int step = 0; step < 2; ++step) CHECK(sgd.step().repairs.empty());
    const StepReport report = sgd.step();
    REQUIRE(report.repairs.size() == 1);
    CHECK(report.repairs[0].worker == 0);
    const std::string phase = report.repairs[0].phase;  // the worker may have replied before it died
    CHECK((phase == "checkpoint" || phase == "compute"));
    CHECK(report.checkpoint.error.empty());
  }
  CHECK(names_in(folder / "run") == Names{"lock", "step-00000002"});
  UndisturbedRun undisturbed(2);
  undisturbed.sgd.save_state(folder / "undisturbed");
  CHECK((bytes_of(folder / "run/step-00000002") == bytes_of(folder / "undisturbed")));
}

TEST_CASE("without repairs, the loss of a worker during the export of a vector is an error of the next step") {
  const TemporaryFolder folder;
  Options options = dealt({Placement::processes, 2, 1, Strategy::sharded}, folder / "run");
  options.checkpoint.every_steps = 2;
  options.fault_tolerance.faults = {testing::KillWorker{.worker = 0, .step = 3, .phase = "checkpoint"}};
  DistributedSGD sgd(kStatistics.name, options);
  std::vector<std::int64_t> failed;
  while (sgd.steps_done() < 6)
    if (code_of([&] { sgd.step(); }) == ErrorCode::worker_lost) failed.push_back(sgd.steps_done());
  CHECK(failed.size() == 1);
  CHECK(sgd.weights() == UndisturbedRun(6).sgd.weights());
}

TEST_CASE("a run that went back to an earlier step resumes its own path, not the abandoned one") {
  const TemporaryFolder folder;
  const std::string run = folder / "run";
  Options options = plain(run);
  std::vector<float> expected;
  {
    DistributedSGD sgd(kStatistics.name, options);
    for (int step = 0; step < 4; ++step) {
      sgd.step();
      sgd.checkpoint();
    }
    sgd.load_state(run + "/step-00000002");
    sgd.set_weights(std::vector<float>(sgd.weights().size(), 0.5F));
    sgd.step();
    CHECK(sgd.checkpoint() == run + "/step-00000003");
    expected = sgd.weights();
  }
  CHECK(names_in(run) == Names{"left-step-00000004", "lock", "step-00000002", "step-00000003"});
  options.checkpoint.resume = true;
  CHECK(DistributedSGD(kStatistics.name, options).weights() == expected);
}

TEST_CASE("a run keeps its folder when the working directory changes, and resumes from a .tmp-old folder") {
  const TemporaryFolder folder;
  const fs::path before = fs::current_path();
  fs::current_path(folder.path());
  Options options = plain("run");
  {
    DistributedSGD sgd(kStatistics.name, options);
    fs::current_path(before);
    sgd.step();
    CHECK(sgd.checkpoint() == folder / "run/step-00000001");
  }
  fs::rename(folder / "run/step-00000001", folder / "run/step-00000001.tmp-old");  // as a killed writer leaves it
  options.checkpoint.folder = folder / "run";
  options.checkpoint.resume = true;
  options.num_shards = 0;
  DistributedSGD sgd(kStatistics.name, options);
  CHECK(sgd.steps_done() == 1);
  CHECK(sgd.step().loss == UndisturbedRun(2).sgd.report().loss);
}

TEST_CASE("a different model configuration in a checkpoint causes a warning, with escaped text") {
  const TemporaryFolder folder;
  Options options = dealt({Placement::in_process, 2, 1, Strategy::sharded}, TrialModel{"batches", "61 6"}, "adam");
  options.checkpoint.folder = folder / "run";
  options.checkpoint.resume = true;
  const CapturedErrors errors;
  {
    DistributedSGD sgd("batches", options);
    sgd.step();
    sgd.checkpoint();
  }
  CHECK(errors.text().empty());
  options.config = "61 6 ";
  { const DistributedSGD sgd("batches", options); }
  CHECK(errors.text().find("was written by a run with configuration '61 6'; this run has '61 6 '") !=
        std::string::npos);
  write_file(folder / "run/step-00000001/manifest.json", R"({"\u001b]0;mine":1,"\u001b]0;mine":1})");
  CHECK(code_of([&] { DistributedSGD("batches", options); }) == ErrorCode::bad_file);
  CHECK(errors.text().find("is damaged") != std::string::npos);
  CHECK(errors.text().find("]0;mine' twice") != std::string::npos);
  CHECK(errors.text().find('\x1b') == std::string::npos);
}

TEST_CASE("the checkpoint with the best metric is kept in addition to the newest, and a run resumes from the newest") {
  const TemporaryFolder folder;
  Options options = plain(folder / "run");
  options.checkpoint.keep = 1;
  options.checkpoint.keep_best = KeepBest::lowest;
  {
    DistributedSGD sgd(kStatistics.name, options);
    for (const double loss : {3.0, 1.0, 2.0, 1.0, 5.0}) {
      sgd.step();
      sgd.checkpoint(loss);
    }
    CHECK(names_in(folder / "run") == Names{"lock", "step-00000002", "step-00000005"});
    sgd.step();
    sgd.checkpoint();
    CHECK(code_of([&] { sgd.checkpoint(std::nan("")); }) == ErrorCode::invalid_argument);
  }
  options.checkpoint.resume = true;
  DistributedSGD sgd(kStatistics.name, options);
  CHECK(sgd.steps_done() == 6);
  sgd.step();
  sgd.checkpoint(0.5);
  CHECK(names_in(folder / "run") == Names{"lock", "step-00000007"});
  options.checkpoint.folder = folder / "other";
  options.checkpoint.keep_best = KeepBest::none;
  DistributedSGD without(kStatistics.name, options);
  CHECK(code_of([&] { without.checkpoint(0.5); }) == ErrorCode::invalid_argument);
}

TEST_CASE("a checkpoint with another number of shards is refused unless reshard is set") {
  const TemporaryFolder folder;
  save_three(folder / "run");
  Options options = plain(folder / "run");
  options.checkpoint.resume = true;
  options.num_shards = kTrialShards - 1;
  const auto start = [&] { DistributedSGD(kStatistics.name, options); };
  CHECK(code_of(start) == ErrorCode::model_mismatch);
  CHECK(message_of(start).find("CheckpointOptions::reshard") != std::string::npos);
  options.checkpoint.reshard = true;
  DistributedSGD sgd(kStatistics.name, options);
  CHECK(sgd.steps_done() == 3);
  CHECK(sgd.weights() == UndisturbedRun(3).sgd.weights());
  CHECK(sgd.step().loss != UndisturbedRun(4).sgd.report().loss);
}

TEST_CASE("the error for a checkpoint of another model names the tensor, and the checkpoint does not change") {
  const TemporaryFolder folder;
  Options options = dealt({Placement::in_process, 2, 1, Strategy::sharded}, TrialModel{"batches", "61 6"}, "adam");
  options.checkpoint.folder = folder / "run";
  options.checkpoint.resume = true;
  {
    DistributedSGD sgd("batches", options);
    sgd.step();
    sgd.checkpoint();
  }
  const std::string before = bytes_of(folder / "run/step-00000001");
  options.config = "61 7";
  const auto start = [&] { DistributedSGD("batches", options); };
  CHECK(code_of(start) == ErrorCode::model_mismatch);
  CHECK_MESSAGE(message_of(start).find("tensor '") != std::string::npos, message_of(start));
  CHECK(names_in(folder / "run") == Names{"lock", "step-00000001"});
  CHECK((bytes_of(folder / "run/step-00000001") == before));
}

TEST_CASE("a fault plan can fill the disk for a checkpoint, and the run continues") {
  const TemporaryFolder folder;
  const CapturedErrors errors;
  Options options = plain(folder / "run");
  options.fault_tolerance.faults = {testing::FullDisk{.step = 2}};
  DistributedSGD sgd(kStatistics.name, options);
  sgd.step();
  CHECK(sgd.checkpoint() == folder / "run/step-00000001");
  sgd.step();
  CHECK(code_of([&] { sgd.checkpoint(); }) == ErrorCode::bad_file);
  CHECK(sgd.step().checkpoint.error.find("No space left") != std::string::npos);
  CHECK(names_in(folder / "run") == Names{"lock", "step-00000001"});
  CHECK(sgd.checkpoint() == folder / "run/step-00000003");
}

TEST_CASE("checkpoints can be written at time intervals") {
  const TemporaryFolder folder;
  Options options = plain(folder / "run");
  options.checkpoint.every = std::chrono::milliseconds(1);
  DistributedSGD sgd(kStatistics.name, options);
  CHECK(comes_true([&] { return !sgd.step().checkpoint.path.empty(); }));
}

TEST_CASE("a full disk does not end the run, is reported once, and later checkpoints are tried again") {
  const TemporaryFolder folder;
  const std::string disk = folder / "disk";
  fs::create_directory(disk);
  if (::mount("tmpfs", disk.c_str(), "tmpfs", 0, "size=32k") != 0) {
    MESSAGE("a small file system cannot be mounted on this machine");
    return;
  }
  {
    const CapturedErrors errors;
    Options options = plain(disk + "/run");
    options.checkpoint.every_steps = 1;
    DistributedSGD sgd(kStatistics.name, options);
    CHECK(comes_true([&] { return sgd.step().checkpoint.error.find("No space left") != std::string::npos; }));
    CHECK(code_of([&] { sgd.checkpoint(); }) == ErrorCode::bad_file);
    for (int step = 0; step < 5; ++step) sgd.step();
    CHECK(code_of([&] { sgd.checkpoint(); }) == ErrorCode::bad_file);  // no checkpoint is being written now
    CHECK(names_in(disk + "/run") == Names{"lock"});
    const std::string told = errors.text();
    CHECK(told.find("No space left") != std::string::npos);
    CHECK(std::ranges::count(told, '\n') == 1);
    REQUIRE(::mount("tmpfs", disk.c_str(), "tmpfs", MS_REMOUNT, "size=64m") == 0);
    CHECK(comes_true([&] {
      const CheckpointReport report = sgd.step().checkpoint;
      return !report.path.empty() && report.error.empty();
    }));
  }
  CHECK(::umount(disk.c_str()) == 0);
}

TEST_CASE("a run continues when its folder disappears and when it returns") {
  const TemporaryFolder folder;
  const CapturedErrors errors;
  DistributedSGD sgd(kStatistics.name, plain(folder / "run"));
  sgd.step();
  fs::rename(folder / "run", folder / "elsewhere");
  write_file(folder / "run", "");
  CHECK(code_of([&] { sgd.checkpoint(); }) == ErrorCode::bad_file);
  CHECK(sgd.step().checkpoint.error.find("step-00000001") != std::string::npos);
  fs::remove(folder / "run");
  fs::rename(folder / "elsewhere", folder / "run");
  CHECK(sgd.checkpoint() == folder / "run/step-00000002");
  CHECK(sgd.step().checkpoint.error.empty());
  CHECK(errors.text().empty());  // the caller got the error
}

TEST_CASE("a damaged newest checkpoint is reported and set aside, and the previous one is loaded") {
  const TemporaryFolder folder;
  const std::string run = folder / "run";
  save_three(run);
  flip_last_byte(run + "/step-00000003/state.safetensors");
  fs::remove(run + "/step-00000002/manifest.json");
  Options options = plain(run);
  options.checkpoint.resume = true;
  {
    const CapturedErrors errors;
    DistributedSGD sgd(kStatistics.name, options);
    CHECK(sgd.steps_done() == 1);
    CHECK(errors.text().find("step-00000003 is damaged") != std::string::npos);
    CHECK(errors.text().find("damaged: tensor '") != std::string::npos);
    CHECK(errors.text().find("step-00000002 is damaged") != std::string::npos);
    CHECK(names_in(run) == Names{"damaged-step-00000002", "damaged-step-00000003", "lock", "step-00000001"});
    sgd.step();
    CHECK(sgd.checkpoint() == run + "/step-00000002");
    UndisturbedRun undisturbed(2);
    CHECK(sgd.weights() == undisturbed.sgd.weights());
  }
  for (const char* step : {"/step-00000001", "/step-00000002"}) flip_last_byte(run + step + "/weights.safetensors");
  const CapturedErrors errors;
  CHECK(code_of([&] { DistributedSGD(kStatistics.name, options); }) == ErrorCode::bad_file);
  CHECK(fs::exists(run + "/step-00000002"));  // if no checkpoint is intact, none is changed
}

TEST_CASE("a folder belongs to one run: other runs get an error, at the same time and later") {
  const TemporaryFolder folder;
  const std::string run = folder / "run";
  Options options = plain(run);
  const auto start = [&] { DistributedSGD(kStatistics.name, options); };
  {
    DistributedSGD sgd(kStatistics.name, options);
    CHECK(code_of(start) == ErrorCode::in_use);
    options.checkpoint.resume = true;
    CHECK(code_of(start) == ErrorCode::in_use);
    sgd.step();
    sgd.checkpoint();
  }
  CHECK_FALSE(code_of(start));
  options.checkpoint.resume = false;
  CHECK(code_of(start) == ErrorCode::invalid_argument);
  options.checkpoint.resume = true;
  options.seed = 6;
  CHECK(code_of(start) == ErrorCode::model_mismatch);
  CHECK(names_in(run) == Names{"lock", "step-00000001"});
}

TEST_CASE("invalid checkpoint options are refused") {
  const TemporaryFolder folder;
  const auto refused = [&](const std::function<void(CheckpointOptions&)>& change) {
    Options options = plain(folder / "run");
    change(options.checkpoint);
    return code_of([&] { DistributedSGD(kStatistics.name, options); }) == ErrorCode::invalid_argument;
  };
  CHECK(refused([](CheckpointOptions& o) { o.every_steps = -1; }));
  CHECK(refused([](CheckpointOptions& o) { o.every = std::chrono::milliseconds(-1); }));
  CHECK(refused([](CheckpointOptions& o) { o.keep = 0; }));
  CHECK(refused([](CheckpointOptions& o) { o.keep_best = static_cast<KeepBest>(9); }));
  CHECK(refused([](CheckpointOptions& o) { o = {.every_steps = 1}; }));
  DistributedSGD sgd(kStatistics.name, plain(""));
  CHECK(code_of([&] { sgd.checkpoint(); }) == ErrorCode::invalid_argument);
}
