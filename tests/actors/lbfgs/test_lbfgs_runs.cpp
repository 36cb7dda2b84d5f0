#include <doctest/doctest.h>
#include <signal.h>

#include <cmath>
#include <condition_variable>
#include <filesystem>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>

#include "actors/lbfgs/smooth_models.hpp"
#include "actors/test_models.hpp"
#include "models/files.hpp"
#include "runtime/random.hpp"
#include "support/errors.hpp"

using namespace troupe;
using namespace troupe_test;
using troupe::testing::read_file;
using troupe::testing::TemporaryFolder;

// What happens to runs of L-BFGS: workers die, are slow and change in number, checkpoints are made, algorithms change.
namespace {

/// Some nine pages, 8 shards of 3 batches, of which the last one may be empty.
constexpr const char* kSteady = "logistic 8192 6 2";
constexpr int kSteadySteps = 6;

Options steady(Placement placement, int workers) {
  Options options = quiet_options(placement, workers);
  options.algorithm = "lbfgs";
  options.num_shards = 8;
  options.config = kSteady;
  options.lbfgs.history = 3;
  options.lbfgs.tolerance = 0;
  options.optimizer.weight_decay = 0.01;
  options.optimizer.groups = {{"bias", 0.0}};
  return options;
}

/// All that a run's bits are seen by.
struct Course {
  std::vector<double> objectives;
  std::vector<double> lengths;
  std::vector<int> evaluations;
  std::vector<float> weights;
  bool operator==(const Course&) const = default;

  void note(const StepReport& report) {
    objectives.push_back(report.lbfgs.objective);
    lengths.push_back(report.lbfgs.step_length);
    evaluations.push_back(report.lbfgs.evaluations);
  }
};

Course go_on(DistributedSGD& sgd, int steps) {
  Course course;
  for (int step = 0; step < steps; ++step) course.note(sgd.step());
  course.weights = sgd.weights();
  return course;
}

/// Of a run in which nothing happens.
const Course& undisturbed() {
  static const Course course = [] {
    DistributedSGD sgd("smooth", steady(Placement::in_process, 1));
    return go_on(sgd, kSteadySteps);
  }();
  return course;
}

/// But for numbers of evaluations, which are more where something is done again.
void check_undisturbed(const Course& course) {
  CHECK(course.objectives == undisturbed().objectives);
  CHECK(course.lengths == undisturbed().lengths);
  CHECK((course.weights == undisturbed().weights));
}

std::vector<float> weights_after(const Options& options, int steps) {
  DistributedSGD sgd("smooth", options);
  for (int step = 0; step < steps; ++step) sgd.step();
  return sgd.weights();
}

std::string saved_state(DistributedSGD& sgd, const std::string& path) {
  sgd.save_state(path);
  return read_file(path + "/weights.safetensors") + read_file(path + "/state.safetensors");
}

/// Of vectors so long that owners are busy with them when a worker is killed.
constexpr std::size_t kWideSize = 1'000'000;
constexpr int kWideSteps = 4;

Options wide(Placement placement, int workers) {
  Options options = quiet_options(placement, workers);
  options.algorithm = "lbfgs";
  options.num_shards = 3;
  options.config = "quadratic " + std::to_string(kWideSize) + " 10";
  options.lbfgs.history = 3;
  options.max_failures = 100;
  return options;
}

/// In Rosenbrock's valley, on which searches of few evaluations are at an end before long.
struct Waves {
  double often = 0;
  double high = 0;
};

class WavesModel : public SmoothModel {
 public:
  /// @param left evaluations until one fails, and then no more; below 0: none
  WavesModel(const Waves& waves, std::shared_ptr<int> left)
      : valley_(make_smooth("rosenbrock 6")), waves_(waves), left_(std::move(left)) {}

  void initialize(std::span<float> weights, std::uint64_t seed) override {
    valley_->initialize(weights, seed);
    for (std::size_t i = 0; i < weights.size(); ++i) weights[i] += 0.1F * static_cast<float>(i);
  }
  std::int64_t add(const ShardStep& at, const Numbers& x, double& loss, Numbers& gradient) const override {
    if (--*left_ == 0) throw std::runtime_error("out of luck");
    const std::int64_t samples = valley_->add(at, x, loss, gradient);
    for (std::size_t i = 0; i < x.size(); ++i) {
      loss += waves_.high * (1 - std::cos(waves_.often * x[i]));
      gradient[i] += waves_.high * waves_.often * std::sin(waves_.often * x[i]);
    }
    return samples;
  }

 protected:
  ModelInfo prepare(const ReplicaContext& context) override { return valley_->start(context); }

 private:
  std::unique_ptr<SmoothModel> valley_;
  Waves waves_;
  std::shared_ptr<int> left_;
};

DistributedSGD on_waves(const Waves& waves, int max_evaluations, const std::shared_ptr<int>& left) {
  Options options = quiet_options(Placement::in_process, 1);
  options.algorithm = "lbfgs";
  options.lbfgs.max_evaluations = max_evaluations;
  return {[=](int, int) { return std::make_unique<WavesModel>(waves, left); }, options};
}

}  // namespace

TEST_CASE("L-BFGS has the same bits for any number of workers, placement, devices and backups") {
  for (const Placement placement : kPlacements)
    for (int workers = 1; workers <= 4; ++workers)
      for (const int devices : {1, 2})
        for (const int backups : {0, 2}) {
          if (kSanitized && placement == Placement::processes && (workers != 3 || devices == 1)) continue;
          if (placement == Placement::processes && devices == 2 && backups == 0) continue;
          CAPTURE(static_cast<int>(placement));
          CAPTURE(workers);
          CAPTURE(devices);
          CAPTURE(backups);
          Options options = steady(placement, workers);
          options.devices_per_worker = devices;
          options.lbfgs.backup_portions = backups;
          DistributedSGD sgd("smooth", options);
          REQUIRE((go_on(sgd, kSteadySteps) == undisturbed()));
        }
}

TEST_CASE("L-BFGS of vectors with pieces of several pages has the same bits for any number of workers") {
  Options options = steady(Placement::in_process, 1);
  options.config = "quadratic 200000 10";  // three or four pages a piece
  options.num_shards = 7;
  DistributedSGD alone("smooth", options);
  const Course expected = go_on(alone, 3);
  for (const int workers : {2, 3, 5, 7}) {
    CAPTURE(workers);
    options.num_workers = workers;
    DistributedSGD sgd("smooth", options);
    REQUIRE((go_on(sgd, 3) == expected));
  }
}

TEST_CASE("portions decide the bits of L-BFGS, and workers do not") {
  Options options = steady(Placement::in_process, 1);
  options.lbfgs.portions = 8;
  const auto expected = weights_after(options, 3);
  options.num_workers = 3;
  CHECK((weights_after(options, 3) == expected));
  options.lbfgs.portions = 0;
  CHECK((weights_after(options, 3) != expected));
}

TEST_CASE("a warm-up of L-BFGS changes nothing") {
  DistributedSGD sgd("smooth", steady(Placement::in_process, 2));
  Course course;
  for (int step = 0; step < kSteadySteps; ++step) {
    sgd.warmup();
    course.note(sgd.step());
  }
  course.weights = sgd.weights();
  check_undisturbed(course);
}

TEST_CASE("workers that come and go leave the bits of L-BFGS as they are") {
  for (const Placement placement : kPlacements) {
    DistributedSGD sgd("smooth", steady(placement, 2));
    Course course;
    for (const int workers : {2, 4, 1, 3, 8, 2}) {
      sgd.resize(workers);
      course.note(sgd.step());
    }
    course.weights = sgd.weights();
    check_undisturbed(course);
  }
}

TEST_CASE("a worker of L-BFGS that dies in any kind of round is replaced, and the bits stay") {
  for (const int backups : {0, 2})
    for (const char* faults :
         {"kill worker 1 at step 3 phase compute", "kill worker 1 at step 3 phase reduce",
          "kill worker 1 at step 3 phase apply", "kill worker 0 at step 1 phase apply",
          "kill worker 2 at step 2; kill worker 0 at step 2 phase reduce; kill worker 1 at step 3 phase apply; "
          "kill worker 2 at step 5 phase reduce; kill worker 2 at step 6 phase apply"}) {
      if (kSanitized && backups > 0) continue;
      CAPTURE(faults);
      CAPTURE(backups);
      Options options = steady(Placement::processes, 3);
      options.max_failures = 100;
      options.faults = faults;
      options.lbfgs.backup_portions = backups;
      DistributedSGD sgd("smooth", options);
      std::ptrdiff_t repairs = 0;
      Course course;
      for (int step = 1; step <= kSteadySteps; ++step) {
        const StepReport report = sgd.step();
        CHECK(report.step == step);
        repairs += std::ssize(report.repairs);
        course.note(report);
      }
      course.weights = sgd.weights();
      check_undisturbed(course);
      // Of two of a worker one after the other the second finds it dead already.
      const std::ptrdiff_t most = 1 + std::ranges::count(std::string(faults), ';');
      CHECK(repairs <= most);
      CHECK(repairs >= std::max<std::ptrdiff_t>(1, most - 2));
    }
}

TEST_CASE("random kills leave the bits of L-BFGS as they are") {
  for (int seed = 1; seed <= (kSanitized ? 1 : 3); ++seed) {
    CAPTURE(seed);
    Options options = steady(Placement::processes, 3);
    options.max_failures = 100;
    options.faults = "random 5 kills of steps 1-6 seed " + std::to_string(seed);
    options.lbfgs.backup_portions = seed % 2;
    DistributedSGD sgd("smooth", options);
    check_undisturbed(go_on(sgd, kSteadySteps));
  }
}

TEST_CASE("workers that are killed at any moment leave the bits of L-BFGS as they are") {
  Options options = steady(Placement::processes, 3);
  options.max_failures = 1'000;
  DistributedSGD sgd("smooth", options);
  for (std::uint64_t seed = 0; seed < (kSanitized ? 1 : 6); ++seed) {
    CAPTURE(seed);
    Random random(seed);
    sgd.set_weights(std::vector<float>(8'192 + 64));
    const std::int64_t begun = sgd.steps_done();
    Course course;
    while (sgd.steps_done() < begun + kSteadySteps) {
      const auto pid = sgd.worker_pids()[random.below(3)];
      const auto at = Clock::now() + std::chrono::microseconds(random.below(8'000));
      std::thread killer([&] {
        while (Clock::now() < at) std::this_thread::yield();
        ::kill(pid, SIGKILL);
      });
      const StepReport report = sgd.step();
      killer.join();
      course.note(report);
    }
    CHECK(course.objectives == undisturbed().objectives);
    CHECK(course.lengths == undisturbed().lengths);
  }
}

TEST_CASE("a worker of L-BFGS that is lost while owners are busy with long vectors is replaced, and the bits stay") {
  Options options = wide(Placement::in_process, 1);
  DistributedSGD plain("smooth", options);
  const Course expected = go_on(plain, kWideSteps);
  options = wide(Placement::processes, 3);
  for (const char* faults : {"kill worker 1 at step 1 phase apply", "kill worker 2 at step 2 phase reduce",
                             "kill worker 0 at step 2 phase apply; kill worker 1 at step 4 phase apply"}) {
    CAPTURE(faults);
    options.faults = faults;
    DistributedSGD sgd("smooth", options);
    std::vector<Repair> repairs;
    Course course;
    for (int step = 0; step < kWideSteps; ++step) {
      const StepReport report = sgd.step();
      repairs.insert(repairs.end(), report.repairs.begin(), report.repairs.end());
      course.note(report);
    }
    course.weights = sgd.weights();
    CHECK(course.objectives == expected.objectives);
    CHECK(course.lengths == expected.lengths);
    CHECK((course.weights == expected.weights));
    CHECK(std::ssize(repairs) == 1 + std::ranges::count(std::string(faults), ';'));
    CHECK(sgd.report().pinned_bytes == 0);
  }
}

TEST_CASE("a worker that is lost while a pair is remembered is lost on nobody who asks next") {
  const TemporaryFolder folder;
  std::string saved;
  std::vector<float> weights;
  {
    DistributedSGD sgd("smooth", wide(Placement::in_process, 1));
    for (int step = 0; step < 2; ++step) sgd.step();
    saved = saved_state(sgd, folder / "undisturbed");
    for (int step = 2; step < kWideSteps; ++step) sgd.step();
    weights = sgd.weights();
  }
  const std::vector<std::function<void(DistributedSGD&)>> asked{
      [&](DistributedSGD& sgd) { CHECK((saved_state(sgd, folder / "state") == saved)); },
      [&](DistributedSGD& sgd) { CHECK(code_of([&] { sgd.evaluate(); }) == ErrorCode::bad_data); },
      [&](DistributedSGD& sgd) { CHECK(sgd.weights().size() == kWideSize); },
      [&](DistributedSGD& sgd) { sgd.resize(2); },
      [&](DistributedSGD& sgd) { sgd.warmup(); },
      [&](DistributedSGD& sgd) { sgd.checkpoint(); },
  };
  for (std::size_t each = 0; each < asked.size(); ++each) {
    CAPTURE(each);
    Options options = wide(Placement::processes, 3);
    options.checkpoint.folder = folder / std::to_string(each);
    options.faults = "kill worker 1 at step 3 phase apply";  // the pair of step 2
    DistributedSGD sgd("smooth", options);
    for (int step = 0; step < kWideSteps; ++step) {
      sgd.step();
      if (step != 1) continue;
      try {
        asked[each](sgd);
      } catch (const Error& error) {
        FAIL_CHECK(error.what());
      }
    }
    CHECK((sgd.weights() == weights));
    CHECK(sgd.report().pinned_bytes == 0);
  }
}

TEST_CASE("a search of L-BFGS that ends it says so again, and nothing changes, whatever the history was") {
  int ended = 0;
  int along_the_gradient = 0;
  for (const int most : {2, 3})
    for (const auto& waves : {Waves{3, 100}, {9, 10}, {9, 30}, {20, 10}, {20, 100}, {40, 100}, {80, 10}}) {
      CAPTURE(most);
      CAPTURE(waves.often);
      CAPTURE(waves.high);
      DistributedSGD sgd = on_waves(waves, most, std::make_shared<int>(-1));
      std::optional<StepReport> end;
      std::vector<float> weights;
      for (int step = 0; step < 20; ++step) {
        const StepReport report = sgd.step();
        if (step > 0 && report.lbfgs.pairs == 0 && report.lbfgs.step_length > 0) ++along_the_gradient;
        if (end) {
          REQUIRE(report.lbfgs.end == end->lbfgs.end);
          CHECK(report.lbfgs.step_length == 0);
          CHECK(report.lbfgs.objective == end->lbfgs.objective);
          CHECK(report.lbfgs.largest == end->lbfgs.largest);
          CHECK(report.step == end->step);
        } else if (report.lbfgs.end != LbfgsEnd::none && report.lbfgs.step_length == 0) {
          end = report;
          weights = sgd.weights();
          ++ended;
        }
      }
      if (end) CHECK(sgd.weights() == weights);
    }
  CHECK(ended >= 5);
  CHECK(along_the_gradient >= 3);
}

TEST_CASE("an evaluation that fails leaves no trace, in whichever search it is") {
  for (const auto& [waves, most] : {std::pair{Waves{9, 10}, 2}, {Waves{80, 10}, 2}, {Waves{20, 100}, 3}}) {
    const Waves on = waves;
    const int evaluations_at_most = most;
    CAPTURE(on.often);
    int failed = 0;
    const auto left = std::make_shared<int>(-1);
    const auto run = [&](int fails_at) {
      *left = fails_at;
      DistributedSGD sgd = on_waves(on, evaluations_at_most, left);
      Course course;
      while (course.lengths.size() < 18) try {
          course.note(sgd.step());
        } catch (const Error& error) {
          CHECK(error.code() == ErrorCode::model_failed);
          ++failed;
        }
      course.weights = sgd.weights();
      course.evaluations.clear();  // those that are done again
      return course;
    };
    const Course expected = run(-1);
    const int evaluations = -1 - *left;
    for (int fails_at = 1; fails_at <= evaluations; ++fails_at) {
      CAPTURE(fails_at);
      CHECK((run(fails_at) == expected));
    }
    CHECK(failed == evaluations);
  }
}

TEST_CASE("backups of portions do what a worker is late with, to the same bits") {
  /// Who has the end of shard 3 first waits until somebody else has computed it, and a while.
  struct Meeting {
    std::mutex mutex;
    std::condition_variable changed;
    int begun = 0;
    int done = 0;
  };
  struct Late : SmoothModel {
    explicit Late(std::shared_ptr<Meeting> meeting) : logistic_(make_smooth(kSteady)), meeting_(std::move(meeting)) {}
    void initialize(std::span<float> weights, std::uint64_t seed) override { logistic_->initialize(weights, seed); }
    std::int64_t add(const ShardStep& at, const Numbers& x, double& loss, Numbers& gradient) const override {
      if (at.shard != 3 || at.step != 2) return logistic_->add(at, x, loss, gradient);
      std::unique_lock lock(meeting_->mutex);
      if (meeting_->begun++ == 0) {
        CHECK(meeting_->changed.wait_for(lock, kPatience, [&] { return meeting_->done > 0; }));
        meeting_->changed.wait_for(lock, std::chrono::milliseconds(100), [] { return false; });
      }
      const std::int64_t samples = logistic_->add(at, x, loss, gradient);
      ++meeting_->done;
      meeting_->changed.notify_all();
      return samples;
    }
    ModelInfo prepare(const ReplicaContext& context) override { return logistic_->start(context); }
    std::unique_ptr<SmoothModel> logistic_;
    std::shared_ptr<Meeting> meeting_;
  };
  for (const int backups : {1, 3}) {
    Options options = steady(Placement::in_process, 3);
    options.lbfgs.backup_portions = backups;
    const auto meeting = std::make_shared<Meeting>();
    DistributedSGD sgd([=](int, int) { return std::make_unique<Late>(meeting); }, options);
    const StepReport report = sgd.step();
    CHECK(report.lbfgs.backups >= 1);
    CHECK(report.lbfgs.backups_won >= 1);
    CHECK(report.lbfgs.portions == 16 * report.lbfgs.evaluations);
    CHECK(report.samples == (6 + 5 + 4 + 6 + 5 + 4 + 6 + 5) * report.lbfgs.evaluations);
    Course course;
    course.note(report);
    for (int step = 1; step < kSteadySteps; ++step) course.note(sgd.step());
    course.weights = sgd.weights();
    check_undisturbed(course);
  }
}

TEST_CASE("processes that are slow are backed up, to the same bits") {
  Options options = steady(Placement::processes, 3);
  options.lbfgs.backup_portions = 3;
  options.faults = "slow 5x worker 1 at step 2";
  DistributedSGD sgd("smooth", options);
  int backups = 0;
  Course course;
  for (int step = 0; step < kSteadySteps; ++step) {
    const StepReport report = sgd.step();
    backups += report.lbfgs.backups;
    CHECK(report.lbfgs.backups_won <= report.lbfgs.backups);
    course.note(report);
  }
  course.weights = sgd.weights();
  check_undisturbed(course);
  CHECK(backups > 0);
}

TEST_CASE("a run of L-BFGS goes on from a checkpoint to the same bits with any number of workers") {
  const TemporaryFolder folder;
  for (const int saved_at : {1, 2, 5}) {
    DistributedSGD first("smooth", steady(Placement::in_process, 2));
    for (int step = 0; step < saved_at; ++step) first.step();
    const std::string saved = saved_state(first, folder / "state");
    for (int step = saved_at; step < kSteadySteps; ++step) first.step();
    const std::string expected = saved_state(first, folder / "end");
    for (const auto& [placement, workers] :
         {std::pair{Placement::in_process, 1}, {Placement::in_process, 4}, {Placement::processes, 3}}) {
      CAPTURE(saved_at);
      CAPTURE(workers);
      DistributedSGD second("smooth", steady(placement, workers));
      second.step();  // what it remembers is to be forgotten
      second.step();
      second.load_state(folder / "state");
      CHECK(second.steps_done() == saved_at);
      CHECK((saved_state(second, folder / "loaded") == saved));
      for (int step = saved_at; step < kSteadySteps; ++step) {
        const StepReport report = second.step();
        CHECK(report.lbfgs.pairs == std::min(step, 3));
        CHECK(report.lbfgs.objective == undisturbed().objectives[static_cast<std::size_t>(step)]);
      }
      CHECK((second.weights() == undisturbed().weights));
      CHECK((saved_state(second, folder / "second") == expected));
    }
  }
}

TEST_CASE("checkpoints of L-BFGS that are made meanwhile are of their step, and runs go on from them") {
  const TemporaryFolder folder;
  Options options = steady(Placement::processes, 2);
  options.checkpoint = {.folder = folder / "run", .every_steps = 2, .keep = 10};
  {
    DistributedSGD sgd("smooth", options);
    check_undisturbed(go_on(sgd, kSteadySteps));
    CHECK(sgd.report().checkpoint.error.empty());
  }
  int found = 0;
  for (const char* name : {"step-00000002", "step-00000004", "step-00000006"}) {
    if (!std::filesystem::exists(folder / ("run/" + std::string(name)))) continue;
    ++found;
    DistributedSGD sgd("smooth", steady(Placement::in_process, 3));
    sgd.load_state(folder / ("run/" + std::string(name)));
    while (sgd.steps_done() < kSteadySteps) sgd.step();
    CHECK((sgd.weights() == undisturbed().weights));
  }
  CHECK(found > 0);
  options.resume_from = folder / "run";
  DistributedSGD again("smooth", options);
  CHECK(again.steps_done() == kSteadySteps);
  CHECK((again.weights() == undisturbed().weights));
  again.step();
  Options plain = steady(Placement::in_process, 1);
  CHECK((again.weights() == weights_after(plain, kSteadySteps + 1)));
}

TEST_CASE("checkpoints of another algorithm, or of another history, are not those of L-BFGS") {
  const TemporaryFolder folder;
  DistributedSGD lbfgs("smooth", steady(Placement::in_process, 2));
  lbfgs.step();
  lbfgs.save_state(folder / "lbfgs");
  Options options = steady(Placement::in_process, 2);
  options.algorithm = "synchronous";
  options.optimizer.kind = "adam";
  DistributedSGD adam("smooth", options);
  adam.step();
  adam.save_state(folder / "adam");
  CHECK(code_of([&] { lbfgs.load_state(folder / "adam"); }) == ErrorCode::model_mismatch);
  CHECK(code_of([&] { adam.load_state(folder / "lbfgs"); }) == ErrorCode::model_mismatch);
  options = steady(Placement::in_process, 2);
  options.lbfgs.history = 4;
  DistributedSGD longer("smooth", options);
  CHECK(code_of([&] { longer.load_state(folder / "lbfgs"); }) == ErrorCode::model_mismatch);
  for (int step = 1; step < kSteadySteps; ++step) lbfgs.step();
  CHECK((lbfgs.weights() == undisturbed().weights));
}

TEST_CASE("weights that are set or loaded begin without a history") {
  const TemporaryFolder folder;
  DistributedSGD sgd("smooth", steady(Placement::in_process, 2));
  const auto begun = sgd.weights();
  sgd.save(folder / "weights");
  for (const bool loads : {false, true}) {
    for (int step = 0; step < 4; ++step) sgd.step();
    loads ? sgd.load(folder / "weights") : sgd.set_weights(begun);
    Course course;
    for (int step = 0; step < kSteadySteps; ++step) {
      const StepReport report = sgd.step();
      CHECK(report.lbfgs.pairs == std::min(step, 3));
      course.note(report);
    }
    course.weights = sgd.weights();
    check_undisturbed(course);
  }
}

TEST_CASE("L-BFGS begins where SGD has come to, between steps or after a warm start") {
  Options options = steady(Placement::in_process, 3);
  options.algorithm = "synchronous";
  options.optimizer.learning_rate = 0.1;
  options.optimizer.momentum = 0.9;
  DistributedSGD changing("smooth", options);
  for (int step = 0; step < 3; ++step) CHECK(changing.step().algorithm == "synchronous");
  const auto warm = changing.weights();
  changing.use(options.lbfgs);
  CHECK((changing.weights() == warm));
  const Course course = go_on(changing, 4);
  CHECK(changing.steps_done() == 7);
  CHECK(changing.steps_per_epoch() == 1);

  DistributedSGD set("smooth", steady(Placement::in_process, 1));
  set.set_weights(warm);
  CHECK((go_on(set, 4) == course));

  options.algorithm = "lbfgs";
  options.asynchronous.warm_start = 3;
  DistributedSGD started("smooth", options);
  for (int step = 0; step < 3; ++step) CHECK(started.step().algorithm == "synchronous");
  CHECK((go_on(started, 4) == course));
  CHECK(started.report().algorithm == "lbfgs");

  changing.use("synchronous");
  CHECK((changing.weights() == course.weights));
  CHECK(changing.step().algorithm == "synchronous");
  changing.use(LocalOptions{.steps = 2});
  CHECK(changing.step().step == 10);
  changing.use(options.lbfgs);
  const StepReport report = changing.step();
  CHECK(report.step == 11);
  CHECK(report.lbfgs.pairs == 0);
}
