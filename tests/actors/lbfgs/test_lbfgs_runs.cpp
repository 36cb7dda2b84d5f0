#include <doctest/doctest.h>

#include <condition_variable>
#include <memory>
#include <mutex>

#include "actors/lbfgs/lbfgs_trial.hpp"
#include "actors/lbfgs/smooth_models.hpp"
#include "support/temporary_folder.hpp"

using namespace troupe;
using namespace troupe_test;

// Distribution of L-BFGS over workers.

TEST_CASE("L-BFGS is bitwise identical for any number of workers, placement, devices and backups") {
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
          options.compute.devices_per_worker = devices;
          std::get<Lbfgs>(options.algorithm).backup_portions = backups;
          DistributedSGD sgd("smooth", options);
          REQUIRE((go_on(sgd, kSteadySteps) == undisturbed()));
        }
}

TEST_CASE("L-BFGS with pieces of several pages is bitwise identical for any number of workers") {
  Options options = steady(Placement::in_process, 1);
  options.config = "quadratic 200000 10";  // three or four pages per piece
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

TEST_CASE("the results of L-BFGS depend on the number of portions and not on the workers") {
  Options options = steady(Placement::in_process, 1);
  std::get<Lbfgs>(options.algorithm).portions = 8;
  const auto expected = weights_after(options, 3);
  options.num_workers = 3;
  CHECK((weights_after(options, 3) == expected));
  std::get<Lbfgs>(options.algorithm).portions = 0;
  CHECK((weights_after(options, 3) != expected));
}

TEST_CASE("without full batches, L-BFGS is bitwise identical after deaths and resumption, too") {
  const TemporaryFolder folder;
  Options options = steady(Placement::in_process, 1);
  std::get<Lbfgs>(options.algorithm).full_batch = false;
  DistributedSGD plain("smooth", options);
  const Course expected = go_on(plain, 3);
  plain.save_state(folder / "state");
  const Course end = go_on(plain, 3);
  for (const Placement placement : kPlacements) {
    options.placement = placement;
    options.num_workers = 3;
    options.fault_tolerance.max_failures = 100;
    std::get<Lbfgs>(options.algorithm).backup_portions = 1;
    if (placement == Placement::processes)
      options.fault_tolerance.faults = {testing::KillWorker{.worker = 1, .step = 2},
                                        testing::KillWorker{.worker = 2, .step = 3, .phase = "apply"}};
    DistributedSGD sgd("smooth", options);
    const Course course = go_on(sgd, 3);
    CHECK(course.objectives == expected.objectives);
    CHECK((course.weights == expected.weights));
    DistributedSGD again("smooth", options);
    again.load_state(folder / "state");
    CHECK((go_on(again, 3).weights == end.weights));
  }
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

TEST_CASE("changing the number of workers does not change the results of L-BFGS") {
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

TEST_CASE("backup portions replace those of a straggler, and results stay bitwise identical") {
  /// The first replica that computes the end of shard 3 waits until another one has computed it, and `lateness` longer.
  struct SharedBarrier {
    std::chrono::milliseconds lateness{0};
    std::mutex mutex;
    std::condition_variable changed;
    int begun = 0;
    int done = 0;
  };
  struct Late : SmoothModel {
    explicit Late(std::shared_ptr<SharedBarrier> barrier)
        : logistic_(make_smooth(kSteady)), barrier_(std::move(barrier)) {}
    void initialize(std::span<float> weights, std::uint64_t seed) override { logistic_->initialize(weights, seed); }
    std::int64_t add(const ShardStep& at, const Numbers& x, double& loss, Numbers& gradient) const override {
      if (at.shard != 3 || at.step != 2) return logistic_->add(at, x, loss, gradient);
      std::unique_lock lock(barrier_->mutex);
      if (barrier_->begun++ == 0) {
        CHECK(barrier_->changed.wait_for(lock, kPatience, [&] { return barrier_->done > 0; }));
        barrier_->changed.wait_for(lock, barrier_->lateness, [] { return false; });
      }
      const std::int64_t samples = logistic_->add(at, x, loss, gradient);
      ++barrier_->done;
      barrier_->changed.notify_all();
      return samples;
    }
    ModelInfo prepare(const ReplicaContext& context) override { return logistic_->start(context); }
    std::unique_ptr<SmoothModel> logistic_;
    std::shared_ptr<SharedBarrier> barrier_;
  };
  // On a busy machine the reply of the backup may be late, too: then another run has a later straggler.
  std::chrono::milliseconds lateness{100};
  for (int backups = 2; backups <= 3;) {  // the first backup may go to a portion of the third worker and win
    Options options = steady(Placement::in_process, 3);
    std::get<Lbfgs>(options.algorithm).backup_portions = backups;
    const auto barrier = std::make_shared<SharedBarrier>();
    barrier->lateness = lateness;
    DistributedSGD sgd([=](int, int) { return std::make_unique<Late>(barrier); }, options);
    const StepReport report = sgd.step();
    if (report.lbfgs.backups_won == 0 && lateness < kPatience) {
      lateness *= 8;
      continue;
    }
    CHECK(report.lbfgs.backups >= 1);
    CHECK(report.lbfgs.backups_won >= 1);
    CHECK(report.lbfgs.portions == 16 * report.lbfgs.evaluations);
    CHECK(report.samples == (6 + 5 + 4 + 6 + 5 + 4 + 6 + 5) * report.lbfgs.evaluations);
    Course course;
    course.note(report);
    for (int step = 1; step < kSteadySteps; ++step) course.note(sgd.step());
    course.weights = sgd.weights();
    check_undisturbed(course);
    ++backups;
  }
}

TEST_CASE("slow processes are backed up, and results stay bitwise identical") {
  Options options = steady(Placement::processes, 3);
  std::get<Lbfgs>(options.algorithm).backup_portions = 3;
  options.fault_tolerance.faults = {testing::SlowWorker{.worker = 1, .factor = 5, .step = 2}};
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
