#include <doctest/doctest.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <filesystem>
#include <functional>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "runtime/processes/child_process.hpp"
#include "runtime/processes/cores.hpp"
#include "runtime/processes/limits.hpp"
#include "runtime/processes/memory.hpp"
#include "runtime/processes/start_trial.hpp"
#include "support/control_group.hpp"
#include "support/errors.hpp"
#include "support/open_files.hpp"

using namespace troupe;

namespace {

/// Runs `work` in a child. Returns whether it succeeded.
bool in_a_child(const std::function<bool()>& work) {
  const pid_t pid = ::fork();
  REQUIRE(pid >= 0);
  if (pid == 0) ::_exit(work() ? 0 : 1);
  int status = 0;
  ::waitpid(pid, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

void limit_to(__rlimit_resource_t resource, rlim_t soft, rlim_t hard) {
  const rlimit limit{soft, hard};
  ::setrlimit(resource, &limit);
}

std::size_t tasks_of_this_process() {
  const std::filesystem::directory_iterator tasks("/proc/self/task");
  return static_cast<std::size_t>(std::distance(begin(tasks), end(tasks)));
}

bool names(const std::string& text, const std::vector<std::string>& parts) {
  return std::all_of(parts.begin(), parts.end(),
                     [&](const std::string& part) { return text.find(part) != std::string::npos; });
}

/// Thread-local data as large as that of programs linked with CUDA's libraries.
thread_local std::array<char, std::size_t{1} << 18> kept_for_each_thread{};

}  // namespace

TEST_CASE("large thread-local data of libraries is not mistaken for a lack of threads") {
  static_cast<volatile char&>(kept_for_each_thread[0]) = 1;
  CHECK_NOTHROW(try_start({.threads = 2, .others = 4}, "a program"));
}

TEST_CASE("a trial releases all that it took and leaves the signal mask unchanged") {
  const std::size_t before = tasks_of_this_process();
  sigset_t mask;
  ::pthread_sigmask(SIG_SETMASK, nullptr, &mask);
  const int was_blocked = ::sigismember(&mask, SIGTERM);
  const std::size_t files_before = open_files();
  try_start({50, 100, 200}, "the test");
  CHECK(tasks_of_this_process() == before);
  CHECK(open_files() == files_before);
  ::pthread_sigmask(SIG_SETMASK, nullptr, &mask);
  CHECK(::sigismember(&mask, SIGTERM) == was_blocked);
}

TEST_CASE("the error of a trial names the limit on files") {
  CHECK(in_a_child([] {
    limit_to(RLIMIT_NOFILE, 64, 64);
    const std::string text = message_of([] { try_start({0, 0, 64}, "the test"); });
    return code_of([] {
             try_start({0, 0, 64}, "the test");
           }) == ErrorCode::limit_reached &&
           names(text, {"the test cannot start", "RLIMIT_NOFILE", "64", "ulimit -n"}) && !code_of([] {
             try_start({0, 0, 40}, "the test");
           });
  }));
}

TEST_CASE("the soft limit on files is raised to the hard limit") {
  CHECK(in_a_child([] {
    limit_to(RLIMIT_NOFILE, 16, 200);
    raise_file_limit();
    return !code_of([] { try_start({0, 0, 150}, "the test"); });
  }));
}

TEST_CASE("the error of a refused call names the limit on files") {
#if defined(TROUPE_SANITIZED)
  troupe_test::skipped("a sanitizer examines objects through a pipe");
#else
  CHECK(in_a_child([] {
    limit_to(RLIMIT_NOFILE, 3, 3);
    const auto make = [] { make_memory_file(kPageBytes); };
    return code_of(make) == ErrorCode::limit_reached && names(message_of(make), {"RLIMIT_NOFILE", "ulimit -n"});
  }));
#endif
}

TEST_CASE("a trial detects a cgroup's limit on threads and processes") {
  const troupe_test::ControlGroup group("pids", "pids.max");
  if (!group.made()) return troupe_test::skipped("no cgroup for processes can be made here");
  std::uint64_t limit = 0;
  // Allows seven threads besides those of the child. A sanitizer starts a thread of its own with the first one.
  const auto enter = [&] {
    group.entry()();
    std::atomic<pid_t> first = 0;
    std::thread([&first] { first = ::gettid(); }).join();
    while (std::filesystem::exists("/proc/self/task/" + std::to_string(first))) std::this_thread::yield();
    using Tasks = std::filesystem::directory_iterator;
    limit = 7 + static_cast<std::uint64_t>(std::distance(Tasks("/proc/self/task"), Tasks()));
    group.set("pids.max", limit);
  };
  const auto refused = [&](const std::function<void()>& action) {
    return code_of(action) == ErrorCode::limit_reached &&
           names(message_of(action), {group.folder() + "/pids.max", std::to_string(limit)});
  };
  CHECK(in_a_child([&] {
    enter();
    for (int i = 0; i < 200; ++i) {  // each trial releases its resources for the next
      if (code_of([] { try_start({6, 0, 0}, "the test"); })) return false;
      if (code_of([] { try_start({2, 4, 0}, "the test"); })) return false;
    }
    return refused([] { try_start({8, 0, 0}, "the test"); }) && refused([] { try_start({0, 8, 0}, "the test"); });
  }));
  CHECK(in_a_child([&] {
    enter();
    std::atomic<bool> end = false;
    std::vector<std::jthread> parked;
    const auto park = [&] {
      for (;;) parked.push_back(start_thread<std::jthread>([&] { end.wait(false); }));
    };
    const bool well =
        refused(park) && parked.size() == 7 && refused([] { ChildProcess::start("/bin/true", {"true"}, {}); });
    end = true;
    end.notify_all();
    return well;
  }));
}

TEST_CASE("a trial detects a lack of address space") {
#if defined(TROUPE_SANITIZED)
  troupe_test::skipped("a sanitizer takes terabytes of address space");
#else
  CHECK(in_a_child([] {
    limit_to(RLIMIT_AS, 200 << 20, 200 << 20);
    const auto start = [] { try_start({100, 0, 0}, "the test"); };
    const auto map = [] {
      const FileDescriptor file = make_memory_file(std::size_t{300} << 20);
      const Mapping mapping(file.get(), 0, std::size_t{300} << 20, Access::read);
    };
    return code_of(start) == ErrorCode::limit_reached &&
           names(message_of(start), {"RLIMIT_AS", "200 MB", "ulimit -v"}) && code_of(map) == ErrorCode::limit_reached &&
           names(message_of(map), {"RLIMIT_AS", "200 MB"});
  }));
#endif
}

TEST_CASE("the memory limit of a cgroup overrides the memory of the machine") {
  const troupe_test::ControlGroup version_1("memory", "memory.limit_in_bytes");
  const troupe_test::ControlGroup version_2("memory", "memory.max");
  const auto& group = version_1.made() ? version_1 : version_2;
  if (!group.made()) return troupe_test::skipped("no cgroup for memory can be made here");
  group.set(version_1.made() ? "memory.limit_in_bytes" : "memory.max", std::uint64_t{64} << 20);
  CHECK(memory_bytes() > std::size_t{64} << 20);
  CHECK(in_a_child([&] {
    group.entry()();
    const auto take = [] { require_memory(std::size_t{100} << 20, "this"); };
    const auto slab = [] { make_memory_file(std::size_t{100} << 20); };
    return memory_bytes() == std::size_t{64} << 20 && code_of(take) == ErrorCode::limit_reached &&
           names(message_of(take), {"this needs 100 MB", "64 MB", group.folder()}) &&
           code_of(slab) == ErrorCode::store_full && !code_of([] { require_memory(std::size_t{8} << 20, "this"); });
  }));
}

TEST_CASE("a CPU quota limits the number of usable cores") {
  const troupe_test::ControlGroup version_1("cpu", "cpu.cfs_quota_us");
  const troupe_test::ControlGroup version_2("cpu", "cpu.max");
  const auto& group = version_1.made() ? version_1 : version_2;
  if (!group.made()) return troupe_test::skipped("no cgroup for processor time can be made here");
  group.set(version_1.made() ? "cpu.cfs_quota_us" : "cpu.max", 60'000);  // of 100,000
  CHECK(in_a_child([&] {
    group.entry()();
    return usable_cores() == 1;
  }));
}
