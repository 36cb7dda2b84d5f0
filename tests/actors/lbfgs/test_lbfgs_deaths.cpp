#include <doctest/doctest.h>
#include <signal.h>

#include <functional>
#include <thread>

#include "actors/lbfgs/lbfgs_trial.hpp"
#include "runtime/random.hpp"
#include "support/errors.hpp"
#include "support/temporary_folder.hpp"

using namespace troupe;
using namespace troupe_test;

namespace {

using Faults = std::vector<testing::Fault>;

/// Takes `steps` steps and appends their repairs to `repairs`.
Course go_on_noting(DistributedSGD& sgd, int steps, std::vector<Repair>& repairs) {
  Course course;
  for (int step = 0; step < steps; ++step) {
    const StepReport report = sgd.step();
    repairs.insert(repairs.end(), report.repairs.begin(), report.repairs.end());
    course.note(report);
  }
  course.weights = sgd.weights();
  return course;
}

}  // namespace

TEST_CASE("a worker of L-BFGS that dies in any round is replaced, and results stay bitwise identical") {
  for (const int backups : {0, 2})
    for (const Faults& faults : {Faults{testing::KillWorker{.worker = 1, .step = 3, .phase = "compute"}},
                                 Faults{testing::KillWorker{.worker = 1, .step = 3, .phase = "reduce"}},
                                 Faults{testing::KillWorker{.worker = 1, .step = 3, .phase = "apply"}},
                                 Faults{testing::KillWorker{.worker = 1, .step = 3, .phase = "remember"}},
                                 Faults{testing::KillWorker{.worker = 0, .step = 1, .phase = "apply"}},
                                 Faults{testing::KillWorker{.worker = 0, .step = 1, .phase = "remember"}},
                                 Faults{testing::KillWorker{.worker = 1, .step = 3, .phase = "remember"},
                                        testing::KillWorker{.worker = 0, .step = 3, .phase = "remember"},
                                        testing::KillWorker{.worker = 2, .step = 3, .phase = "remember"},
                                        testing::KillWorker{.worker = 1, .step = 3, .phase = "apply"}},
                                 Faults{testing::KillWorker{.worker = 2, .step = 2},
                                        testing::KillWorker{.worker = 0, .step = 2, .phase = "reduce"},
                                        testing::KillWorker{.worker = 1, .step = 3, .phase = "apply"},
                                        testing::KillWorker{.worker = 2, .step = 5, .phase = "reduce"},
                                        testing::KillWorker{.worker = 2, .step = 6, .phase = "apply"}}}) {
      if (kSanitized && backups > 0) continue;
      CAPTURE(faults.size());
      CAPTURE(backups);
      Options options = steady(Placement::processes, 3);
      options.fault_tolerance.max_failures = 100;
      options.fault_tolerance.faults = faults;
      std::get<Lbfgs>(options.algorithm).backup_portions = backups;
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
      // If a worker has two faults in succession, the second one may find the process already dead.
      const std::ptrdiff_t most = std::ssize(faults);
      CHECK(repairs <= most);
      CHECK(repairs >= std::max<std::ptrdiff_t>(1, most - 2));
    }
}

TEST_CASE("random kills do not change the results of L-BFGS") {
  for (int seed = 1; seed <= (kSanitized ? 1 : 3); ++seed) {
    CAPTURE(seed);
    Options options = steady(Placement::processes, 3);
    options.fault_tolerance.max_failures = 100;
    options.fault_tolerance.faults = {
        testing::RandomKills{.count = 5, .first_step = 1, .last_step = 6, .seed = static_cast<std::uint64_t>(seed)}};
    std::get<Lbfgs>(options.algorithm).backup_portions = seed % 2;
    DistributedSGD sgd("smooth", options);
    check_undisturbed(go_on(sgd, kSteadySteps));
  }
}

TEST_CASE("workers killed at any moment do not change the results of L-BFGS") {
  Options options = steady(Placement::processes, 3);
  options.fault_tolerance.max_failures = 1'000;
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

TEST_CASE("an L-BFGS worker lost while owners compute long vectors is replaced, and results stay bitwise identical") {
  Options options = wide(Placement::in_process, 1);
  DistributedSGD plain("smooth", options);
  const Course expected = go_on(plain, kWideSteps);
  options = wide(Placement::processes, 3);
  for (const Faults& faults : {Faults{testing::KillWorker{.worker = 1, .step = 1, .phase = "apply"}},
                               Faults{testing::KillWorker{.worker = 2, .step = 2, .phase = "reduce"}},
                               Faults{testing::KillWorker{.worker = 0, .step = 2, .phase = "apply"},
                                      testing::KillWorker{.worker = 1, .step = 4, .phase = "remember"}}}) {
    CAPTURE(faults.size());
    options.fault_tolerance.faults = faults;
    DistributedSGD sgd("smooth", options);
    std::vector<Repair> repairs;
    const Course course = go_on_noting(sgd, kWideSteps, repairs);
    CHECK(course.objectives == expected.objectives);
    CHECK(course.lengths == expected.lengths);
    CHECK((course.weights == expected.weights));
    CHECK(std::ssize(repairs) == std::ssize(faults));
    CHECK(sgd.report().pinned_bytes == 0);
  }
}

TEST_CASE("the loss of a worker while a pair is stored does not fail the next call") {
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
    options.fault_tolerance.faults = {
        testing::KillWorker{.worker = 1, .step = 3, .phase = "remember"}};  // the pair of step 2
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

TEST_CASE("shards of a worker that is lost while a pair is stored are redistributed if the options ask for this") {
  for (const bool ranged : {false, true}) {
    CAPTURE(ranged);
    Options options = steady(Placement::processes, 3);
    if (ranged) options.num_workers = {1, 3};  // two workers on a machine with two cores
    options.fault_tolerance.restart = ranged ? Restart::respawn : Restart::redistribute;
    options.fault_tolerance.max_failures = ranged ? 0 : 1;
    options.fault_tolerance.faults = {testing::KillWorker{.worker = 0, .step = 3, .phase = "remember"}};
    DistributedSGD sgd("smooth", options);
    const int workers = sgd.num_workers();
    if (workers < 2) continue;  // on a machine with one core
    std::vector<Repair> repairs;
    const Course course = go_on_noting(sgd, kSteadySteps, repairs);
    check_undisturbed(course);
    REQUIRE(repairs.size() == 1);
    CHECK(repairs.front().redistributed);
    CHECK(sgd.num_workers() == workers - 1);
  }
}
