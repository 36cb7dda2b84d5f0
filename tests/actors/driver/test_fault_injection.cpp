#include <doctest/doctest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "actors/driver/fake_runtime.hpp"
#include "actors/driver/faults/fault_injection.hpp"
#include "actors/driver/faults/stop_process.hpp"
#include "support/patience.hpp"

using namespace troupe;

namespace {

Phase at(std::int64_t step, const char* name = "compute") {
  return {name, step, Deadline(std::chrono::milliseconds(0))};
}

/// A child process that waits until it is ended.
class WaitingProcess {
 public:
  WaitingProcess() : pid_(::fork()) {
    if (pid_ != 0) return;
    for (;;) ::pause();
  }
  ~WaitingProcess() {
    if (!ended_) ::kill(pid_, SIGKILL);
    if (!ended_) ::waitpid(pid_, nullptr, 0);
  }
  WaitingProcess(const WaitingProcess&) = delete;
  WaitingProcess& operator=(const WaitingProcess&) = delete;

  int pid() const { return pid_; }
  int ends_by_signal() {
    int status = 0;
    ::waitpid(pid_, &status, 0);
    ended_ = true;
    return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  }

 private:
  pid_t pid_;
  bool ended_ = false;
};

}  // namespace

TEST_CASE("faults that are due happen to the processes of active workers, and to nodes") {
  troupe_test::FakeRuntime runtime(4);
  WaitingProcess killed, stopped, spared;
  runtime.fake_host->pids = {{0, killed.pid()}, {1, stopped.pid()}, {2, spared.pid()}};
  runtime.members.lose(2);
  FaultInjection faults(
      FaultPlan({testing::KillWorker{.worker = 0, .step = 5}, testing::StopWorker{.worker = 1, .step = 5},
                 testing::KillWorker{.worker = 2, .step = 5}, testing::KillWorker{.worker = 3, .step = 5},
                 testing::CutNode{.node = 1, .step = 6, .phase = "apply"}},
                4, 2));
  CHECK(faults.any());
  faults.let_happen(at(4), 1, *runtime.host, runtime.members);
  CHECK(faults.left() == 5);
  faults.let_happen(at(5), 1, *runtime.host, runtime.members);
  CHECK(killed.ends_by_signal() == SIGKILL);
  CHECK(is_stopped(stopped.pid()));
  CHECK(::kill(spared.pid(), 0) == 0);
  CHECK_FALSE(is_stopped(spared.pid()));
  CHECK(runtime.log.empty());
  faults.let_happen(at(5, "apply"), 3, *runtime.host, runtime.members);  // steps 5 to 7
  CHECK(runtime.log == std::vector<std::string>{"cut off 1"});
  CHECK_FALSE(faults.any());
}

TEST_CASE("a slow worker is stopped most of the time, until the step at which the fault ends") {
  troupe_test::FakeRuntime runtime(1);
  WaitingProcess slow;
  runtime.fake_host->pids = {{0, slow.pid()}};
  FaultInjection faults(FaultPlan({testing::SlowWorker{.worker = 0, .factor = 50, .step = 2, .until = 4}}, 1));
  faults.let_happen(at(2), 1, *runtime.host, runtime.members);
  CHECK(troupe_test::comes_true([&] { return is_stopped(slow.pid()); }));
  faults.let_happen(at(3), 1, *runtime.host, runtime.members);
  CHECK(troupe_test::comes_true([&] { return is_stopped(slow.pid()); }));
  faults.let_happen(at(4), 1, *runtime.host, runtime.members);
  CHECK_FALSE(is_stopped(slow.pid()));
}
