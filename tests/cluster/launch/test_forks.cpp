#include <doctest/doctest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <optional>

#include "actors/trainer/train_functions.hpp"
#include "cluster/hold_model.hpp"
#include "cluster/nodes.hpp"

using namespace troupe;
using namespace troupe_test;
using namespace std::chrono_literals;

// A driver's program that forks.

namespace {

bool is_refused(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.code() == ErrorCode::unsupported;
  }
  return false;
}

/// Returns whether a child process does the work and ends within seconds.
bool child_ends_well(const std::function<bool()>& work) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(work() ? 0 : 1);
  int status = -1;
  if (comes_true([&] { return ::waitpid(child, &status, WNOHANG) == child; }, 20s)) return status == 0;
  ::kill(child, SIGKILL);
  ::waitpid(child, &status, 0);
  return false;
}

}  // namespace

TEST_CASE("a forked child of the driver's process does not affect nodes, and the run stays bitwise identical") {
  const Nodes nodes(2);
  std::optional<DistributedSGD> sgd(std::in_place, "hold", nodes.options());
  for (int step = 0; step < 2; ++step) sgd->step();
  CHECK(child_ends_well([&] {
    const bool refused = is_refused([&] { sgd->step(); }) && is_refused([&] { sgd->weights(); }) &&
                         is_refused([&] { sgd->evaluate(); }) && is_refused([&] { sgd->worker_pids(); });
    sgd.reset();
    return refused;
  }));
  for (int step = 0; step < 2; ++step) sgd->step();
  CHECK(bits_of(sgd->weights()) == bits_of(run_here(Hold{}.text(), 2, 4)));
}

TEST_CASE("a forked child of a trainer's process does not affect nodes, and the run continues") {
  const Nodes nodes(2);
  TrainerOptions options;
  options.num_workers = 2;
  options.placement = Placement::cluster;
  options.cluster = nodes.options().cluster;
  options.fault_tolerance.cut_after = kCutAfter;
  std::optional<Trainer> trainer(options);
  const Json config = {{"steps", 4}, {"clip", 0.5}};
  const RunResults expected = trainer->run("learn", config);
  std::optional<RunHandle> running(trainer->run_generator("learn", config));
  CHECK(child_ends_well([&] {
    const bool refused = is_refused([&] { running->next(); }) && is_refused([&] { trainer->run("learn"); }) &&
                         is_refused([&] { trainer->shutdown(); });
    running.reset();
    trainer.reset();
    return refused;
  }));
  while (running->next()) continue;
  CHECK(running->returns().at(1).json == expected.at(1).json);
}
