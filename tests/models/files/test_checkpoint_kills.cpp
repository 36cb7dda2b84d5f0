#include <doctest/doctest.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <optional>
#include <string>

#include "models/files/checkpoints.hpp"
#include "models/files/no_exchange.hpp"
#include "support/control_group.hpp"

using namespace troupe;
using namespace troupe::testing;

namespace {

/// Runs `action` in a child. The result is the child's exit status; an exception gives 120.
template <class Action>
pid_t start(Action action) {
  const pid_t child = ::fork();
  if (child != 0) return child;
  try {
    ::_exit(action());
  } catch (...) {
    ::_exit(120);
  }
}

int status_of(pid_t child) {
  int status = 0;
  ::waitpid(child, &status, 0);
  return status;
}

/// Saves step 2 in a child that is killed before or after its system call number `stop`, counted from the beginning of
/// the save. Returns whether the child reached that call, or nothing if children cannot be traced.
std::optional<bool> killed_at(int stop, const std::string& path, bool exchange) {
  const pid_t child = start([&] {
    if (!exchange) forbid_exchange();
    if (::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) return 122;
    ::raise(SIGSTOP);
    save(path, 2);
    return 0;
  });
  int status = status_of(child);
  if (!WIFSTOPPED(status)) return std::nullopt;
  ::ptrace(PTRACE_SETOPTIONS, child, nullptr, PTRACE_O_EXITKILL);
  for (int stops = 0; WIFSTOPPED(status); ++stops) {
    if (stops == stop) {
      ::kill(child, SIGKILL);
      status_of(child);
      return true;
    }
    ::ptrace(PTRACE_SYSCALL, child, nullptr, nullptr);
    status = status_of(child);
  }
  REQUIRE(WIFEXITED(status));
  REQUIRE(WEXITSTATUS(status) == 0);
  return false;
}

enum class Before { none, checkpoint, half_replaced };

/// Creates the files that a writer finds, including those of a writer that was killed earlier.
void prepare(Before before, const std::string& path) {
  if (before == Before::none) return;
  save(path, 1);
  std::filesystem::copy(path, path + ".tmp-0123456789abcdef");
  if (before == Before::half_replaced) std::filesystem::rename(path, path + ".tmp-old");
}

/// Returns the step of the checkpoint at a path without active writers, or 0 if there is none.
std::int64_t step_at(const std::string& path) {
  return std::filesystem::exists(find_checkpoint(path)) ? load(path) : 0;
}

void check_kills(Before before, bool exchange) {
  const std::int64_t old_step = before == Before::none ? 0 : 1;
  bool seen_old = false;
  bool seen_new = false;
  for (int stop = 1;; ++stop) {
    CAPTURE(stop);
    const TemporaryFolder folder(fast_parent());
    const std::string path = folder / "c";
    prepare(before, path);
    const auto killed = killed_at(stop, path, exchange);
    if (!killed) return troupe_test::skipped("children cannot be traced here");
    const std::int64_t step = step_at(path);
    REQUIRE((step == old_step || step == 2));
    (step == 2 ? seen_new : seen_old) = true;
    save(path, 3);
    REQUIRE(load(path) == 3);
    REQUIRE(names_in(folder.path()) == Names{"c"});
    if (!*killed) break;
  }
  CHECK(seen_old);
  CHECK(seen_new);
}

/// Runs `action` in a child that mounts a file system of `pages` pages of 4 KiB at `folder`. Returns nothing if
/// mounting
/// fails.
template <class Action>
std::optional<int> on_small_disk(const std::string& folder, int pages, Action action) {
  const std::string user = "0 " + std::to_string(::geteuid()) + " 1";
  const std::string group = "0 " + std::to_string(::getegid()) + " 1";
  const int status = status_of(start([&] {
    if (::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return 123;
    write_file("/proc/self/uid_map", user);
    write_file("/proc/self/setgroups", "deny");
    write_file("/proc/self/gid_map", group);
    const std::string options = "size=" + std::to_string(pages * 4096);
    if (::mount("none", folder.c_str(), "tmpfs", 0, options.c_str()) != 0) return 123;
    return action();
  }));
  REQUIRE(WIFEXITED(status));
  if (WEXITSTATUS(status) == 123) return std::nullopt;
  return WEXITSTATUS(status);
}

}  // namespace

TEST_CASE("a writer killed at any system call leaves no checkpoint or a complete one") {
  check_kills(Before::none, true);
}

TEST_CASE("a writer killed at any system call leaves the old or the new checkpoint, complete") {
  check_kills(Before::checkpoint, true);
}

TEST_CASE("without exchange of folders, a killed writer leaves the old or the new checkpoint, complete") {
  check_kills(Before::checkpoint, false);
}

TEST_CASE("without exchange of folders, two writers killed one after the other leave a complete checkpoint") {
  check_kills(Before::half_replaced, false);
}

TEST_CASE("a full disk is reported, keeps the previous checkpoint and leaves no temporary files") {
  const TemporaryFolder folder;
  const std::string path = folder / "c";
  const auto save_twice = [&](int pages) {
    return on_small_disk(folder.path(), pages, [&] {
      std::int64_t step = 0;
      for (int next = 1; next <= 2; ++next) {
        try {
          save(path, next);
          step = next;
        } catch (const Error& error) {
          const std::string text = error.what();
          if (error.code() != ErrorCode::bad_file) return 100;
          if (text.find("No space left") == std::string::npos || text.find(path) == std::string::npos) return 101;
        }
        if (names_in(folder.path()).size() != (step > 0 ? 1 : 0)) return 102;
        if (step > 0 && load(path) != step) return 103;
      }
      return static_cast<int>(step);
    });
  };
  int last = 0;
  bool seen_one = false;
  for (int pages = 1; last != 2; ++pages) {
    CAPTURE(pages);
    const auto step = save_twice(pages);
    if (!step) return troupe_test::skipped("no file system can be mounted here");
    REQUIRE(*step >= last);
    last = *step;
    REQUIRE(last <= 2);
    seen_one = seen_one || last == 1;
  }
  CHECK(seen_one);
}
