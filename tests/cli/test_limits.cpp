#include <doctest/doctest.h>
#include <grp.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <filesystem>

#include "cli/limited.hpp"
#include "cli/processes.hpp"
#include "cli/refused.hpp"
#include "runtime/clock.hpp"
#include "support/control_group.hpp"
#include "support/free_address.hpp"
#include "support/text.hpp"

using namespace troupe_test;
using namespace std::chrono_literals;
using troupe::testing::TemporaryFolder;

// Limits that a container or a shell may set. With any limit a program works, or names the limit in one line.

namespace {

#if defined(TROUPE_SANITIZED)
constexpr int kStride = 6;  // a start takes a second
#else
constexpr int kStride = 1;
#endif

std::vector<std::string> train_in(const std::string& placement, const std::vector<std::string>& more = {}) {
  return joined(train_linear({"--placement", placement, "--steps", "2", "--workers", "2", "--quiet"}), more);
}

auto resource_limit(__rlimit_resource_t resource, rlim_t soft, rlim_t hard) {
  return [=] {
    const rlimit limit{soft, hard};
    if (::setrlimit(resource, &limit) != 0) ::_exit(125);
  };
}

/// Counts programs of a sweep that worked and programs that were refused.
struct Sweep {
  int worked = 0;
  int refused = 0;

  /// Checks that the program worked, or named the limit in one line.
  void check(const Finished& run, const std::string& limit) {
    INFO(run.out << run.err);
    const bool well = run.status == 0 && run.out.starts_with("weights sha256");
    const bool told = run.status == 1 && run.err.starts_with("troupe: limit_reached: ") &&
                      lines_of(run.err).size() == 1 && run.err.find(limit) != std::string::npos;
    CHECK((well || told));
    worked += well ? 1 : 0;
    refused += told ? 1 : 0;
  }
  void check_both() const {
    CHECK(worked > 0);
    CHECK(refused > 0);
  }
};

/// Changes to a user who has no other process here.
void become_nobody_else() {
  constexpr uid_t kNobodyElse = 64'117;
  if (::setgroups(0, nullptr) != 0 || ::setgid(kNobodyElse) != 0 || ::setuid(kNobodyElse) != 0) ::_exit(125);
}

/// Returns the mask of blocked signals, in the kernel's format.
std::string blocked_signals(pid_t pid) {
  std::istringstream status(troupe::testing::read_file("/proc/" + std::to_string(pid) + "/status"));
  for (std::string word; status >> word;)
    if (word == "SigBlk:" && status >> word) return word;
  return "";
}

/// Waits until the child runs the program and has `threads` threads, or has ended.
void await_threads(pid_t pid, std::size_t threads) {
  const std::string process = "/proc/" + std::to_string(pid);
  const troupe::Deadline deadline(10s);
  bool begun = false;
  while (!deadline.passed()) {
    std::error_code failed;
    const auto program = std::filesystem::read_symlink(process + "/exe", failed);
    const bool is_program = program == TROUPE_PROGRAM;
    if (begun && !is_program) return;
    begun = begun || is_program;
    const std::filesystem::directory_iterator tasks(process + "/task", failed);
    if (begun && static_cast<std::size_t>(std::distance(begin(tasks), end(tasks))) >= threads) return;
  }
}

}  // namespace

TEST_CASE("with few threads and processes in its cgroup a training works or names pids.max") {
  const ControlGroup group("pids", "pids.max");
  if (!group.made()) return skipped("no cgroup for processes can be made here");
  for (const char* placement : {"in-process", "processes"}) {
    Sweep sweep;
    for (std::uint64_t most = 2; most <= 32; most += kStride) {
      group.set("pids.max", most);
      CAPTURE(most);
      // When a worker looks for the limit, another worker may have ended and freed room again.
      const std::string named = placement == std::string("processes") ? "pids.max" : group.folder() + "/pids.max";
      sweep.check(run_limited(train_in(placement), group.entry()), named);
      CHECK(group.members().empty());
    }
    sweep.check_both();
  }
}

TEST_CASE("with few threads and processes for its user a training works or names RLIMIT_NPROC") {
  if (::geteuid() != 0) return skipped("only root can become another user");
  if (run_limited({"--version"}, become_nobody_else).status != 0)
    return skipped("another user cannot run this program");
  for (const char* placement : {"in-process", "processes"}) {
    Sweep sweep;
    for (rlim_t most = 2; most <= 38; most += 2 * kStride) {
      CAPTURE(most);
      const auto limit = [most] {
        resource_limit(RLIMIT_NPROC, most, most)();
        become_nobody_else();
      };
      sweep.check(run_limited(train_in(placement), limit), "RLIMIT_NPROC");
    }
    sweep.check_both();
  }
}

TEST_CASE("with little address space a training works or names RLIMIT_AS") {
#if defined(TROUPE_SANITIZED)
  skipped("a sanitizer takes terabytes of address space");
#else
  constexpr rlim_t kMegabyte = 1 << 20;
  for (const char* placement : {"in-process", "processes"}) {
    Sweep sweep;
    for (rlim_t megabytes = 20; megabytes <= 420; megabytes += megabytes < 200 ? 10 : 40) {
      const auto limit = resource_limit(RLIMIT_AS, megabytes * kMegabyte, megabytes * kMegabyte);
      // The libraries must fit. Without them the program cannot print anything.
      if (run_limited({"--version"}, limit).status != 0) continue;
      CAPTURE(megabytes);
      sweep.check(run_limited(train_in(placement), limit), "RLIMIT_AS");
    }
    sweep.check_both();
  }
#endif
}

TEST_CASE("with few open files a training works or names RLIMIT_NOFILE") {
  for (const char* placement : {"in-process", "processes"}) {
    Sweep sweep;
    for (rlim_t most = 6; most <= 48; most += 3 * kStride)
      sweep.check(run_limited(train_in(placement), resource_limit(RLIMIT_NOFILE, most, most)), "RLIMIT_NOFILE");
    sweep.check_both();
  }
  // Each shard uses memory files.
  const auto many = train_in("in-process", {"--shards", "100"});
  Sweep sweep;
  sweep.check(run_limited(many, resource_limit(RLIMIT_NOFILE, 64, 64)), "RLIMIT_NOFILE limits this process to 64 open");
  CHECK(sweep.refused == 1);
  // The soft limit is raised to the hard limit.
  sweep.check(run_limited(many, resource_limit(RLIMIT_NOFILE, 64, 512)), "");
  CHECK(sweep.worked == 1);
}

TEST_CASE("a training with a small limit on file sizes names RLIMIT_FSIZE") {
  const Finished done = run_limited(train_in("in-process"), resource_limit(RLIMIT_FSIZE, 1024, 1024));
  CHECK(done.status == 1);
  CHECK(troupe_test::contains(done.err, "RLIMIT_FSIZE limits files, which include shared memory, to 1 KB"));
}

TEST_CASE("a driver or node of a cluster with few threads names pids.max before the timeout") {
  const ControlGroup group("pids", "pids.max");
  if (!group.made()) return skipped("no cgroup for processes can be made here");
  const TemporaryFolder folder;
  const std::string certs = folder.path().string();
  REQUIRE(run_program({"certs", "init", certs}).status == 0);
  REQUIRE(run_program({"certs", "node", certs, "n0"}).status == 0);
  const std::string address = free_address();
  const auto driver = train_in("cluster", {"--listen", address, "--certs", certs + "/driver"});
  const std::vector<std::string> node{"node", "--join", address, "--certs", certs + "/n0"};
  for (std::uint64_t most = 3; most <= 9; most += 2 * kStride) {
    group.set("pids.max", most);
    for (const auto& arguments : {driver, node, joined(node, {"--once"})}) {
      Sweep sweep;
      sweep.check(run_limited(arguments, group.entry()), group.folder() + "/pids.max");
      CHECK(sweep.refused == 1);
    }
  }
  // A node that can join but has too few threads for its workers.
  Sweep sweep;
  for (std::uint64_t most = 10; most <= 24; most += kStride) {
    group.set("pids.max", most);
    Program serving(joined(node, {"--once"}), {.limit = group.entry()});
    if (!serving.says("waits for a driver")) continue;
    sweep.check(run_program(driver), "(worker ");
  }
  CHECK(sweep.worked > 0);
  if (kStride == 1) CHECK(sweep.refused > 0);  // a refusal needs a limit between two adjacent values
}

TEST_CASE("signals reach a training that works and a training that is refused") {
  Program program(train_linear({"--placement", "in-process", "--steps", "1000000000", "--verbose"}));
  REQUIRE(program.prints("step 1, "));
  CHECK(blocked_signals(program.pid()) == "0000000000000000");
  const ControlGroup group("pids", "pids.max");
  if (!group.made()) return skipped("no cgroup for processes can be made here");
  for (const char* placement : {"in-process", "processes"}) {
    int ended = 0;
    for (std::uint64_t most = 3; most <= 24; most += 3) {
      group.set("pids.max", most);
      const TemporaryFolder temporary;
      Program limited(train_in(placement, {"--steps", "1000000000"}),
                      {.temporary = temporary.path().string(), .limit = group.entry()});
      await_threads(limited.pid(), most % 8);
      ::kill(limited.pid(), SIGTERM);
      const Finished run = limited.finish();
      if (run.status == 1) {
        CHECK_MESSAGE(run.err.find("limit_reached") != std::string::npos, run.err);
      } else {
        CHECK((run.status == -SIGTERM || run.status == 128 + SIGTERM));
        ++ended;
      }
      CHECK(group.members().empty());
      CHECK(std::filesystem::is_empty(temporary.path()));
    }
    CHECK(ended > 0);
  }
}

TEST_CASE("a training that exceeds the memory of its cgroup is refused and not killed") {
  const MemoryGroup group(std::uint64_t{600} << 20);
  if (!group.made()) return skipped("no cgroup for memory can be made here");
  const Finished run = run_limited(
      {"train", "--model", "resnet18", "--data", "mock-images:224", "--batch-size", "256", "--workers", "1"},
      group.entry());
  check_refusal(run, {group.folder()});
}
