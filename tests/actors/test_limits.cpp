#include <doctest/doctest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

#include "actors/test_models.hpp"
#include "runtime/clock.hpp"
#include "support/control_group.hpp"
#include "support/errors.hpp"

using namespace troupe;
using namespace std::chrono_literals;

// Tests of limits that workers reach and their driver does not.

namespace {

Options noise_in_processes() {
  Options options = troupe_test::quiet_options(Placement::processes, 2);
  options.config = "7";
  return options;
}

/// Limits the open files of worker processes that start during the lifetime of this object.
class WorkersHaveFewFiles {
 public:
  WorkersHaveFewFiles() { ::setenv(troupe_test::kFilesVariable, "10", 1); }
  ~WorkersHaveFewFiles() { ::unsetenv(troupe_test::kFilesVariable); }
};

template <class F>
void check_worker_is_named(F action) {
  const Deadline deadline(20s);  // much earlier than the minute that workers have to start
  const std::string text = message_of(action);
  INFO(text);
  CHECK_FALSE(deadline.passed());
  for (const char* part : {"its process cannot start", "RLIMIT_NOFILE", "ulimit -n", "(worker ", "node pid "})
    CHECK(text.find(part) != std::string::npos);
}

}  // namespace

TEST_CASE("a worker process that cannot start reports the limit that it has reached") {
  const std::size_t folders = troupe_test::socket_folders();
  {
    const WorkersHaveFewFiles few;
    check_worker_is_named([] { DistributedSGD("noise", noise_in_processes()); });
    CHECK(code_of([] { DistributedSGD("noise", noise_in_processes()); }) == ErrorCode::limit_reached);
  }
  CHECK(::waitpid(-1, nullptr, WNOHANG) == -1);
  CHECK(troupe_test::socket_folders() == folders);
}

TEST_CASE("if the replacement of a lost worker cannot start, the step fails, and a later step can succeed") {
  DistributedSGD sgd("noise", noise_in_processes());
  sgd.step();
  ::kill(sgd.worker_pids()[1], SIGKILL);
  CHECK(code_of([&] { sgd.step(); }) == ErrorCode::worker_lost);
  {
    const WorkersHaveFewFiles few;
    check_worker_is_named([&] { sgd.step(); });
  }
  CHECK(sgd.step().step == 2);
}

TEST_CASE("the error for a worker killed by the out-of-memory killer mentions memory") {
  const troupe_test::ControlGroup version_1("memory", "memory.limit_in_bytes");
  const troupe_test::ControlGroup version_2("memory", "memory.max");
  const auto& group = version_1.made() ? version_1 : version_2;
  if (!group.made()) return troupe_test::skipped("a memory cgroup cannot be created on this machine");
#if defined(__SANITIZE_THREAD__)
  return troupe_test::skipped("ThreadSanitizer treats the threads of a forked child as its parent's");
#endif
  group.set(version_1.made() ? "memory.limit_in_bytes" : "memory.max", std::uint64_t{600} << 20);
  const pid_t pid = ::fork();
  REQUIRE(pid >= 0);
  if (pid == 0) {
    group.entry()();
    const std::string text = message_of([] {
      DistributedSGD sgd("noise", noise_in_processes());
      sgd.foreach_worker("takes-memory");
    });
    const bool named = text.find("signal 9, because it exceeded the memory limit of its cgroup") != text.npos;
    if (!named) std::fprintf(stderr, "%s\n", text.c_str());
    ::_exit(named ? 0 : 1);
  }
  int status = 0;
  ::waitpid(pid, &status, 0);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
}
