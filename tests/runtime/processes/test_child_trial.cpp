#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

#include "runtime/amx.hpp"
#include "runtime/processes/child_trial.hpp"

using namespace troupe;

namespace {

void ignored(int /*signal*/) { ::_exit(0); }

}  // namespace

TEST_CASE("survives returns whether a function completes in a child") {
  CHECK(survives([] {}));
  CHECK_FALSE(survives([] { __builtin_trap(); }));  // an invalid instruction
  CHECK_FALSE(survives([] { ::kill(::getpid(), SIGKILL); }));
  CHECK_FALSE(survives([] { ::_exit(1); }));
}

TEST_CASE("a crash in the child does not call the program's signal handlers and leaves no child") {
  const auto before = std::signal(SIGILL, ignored);
  const auto told = std::signal(SIGCHLD, ignored);
  CHECK_FALSE(survives([] { __builtin_trap(); }));
  std::signal(SIGCHLD, told);
  std::signal(SIGILL, before);
  CHECK(::waitpid(-1, nullptr, WNOHANG | __WALL) == -1);
  CHECK(errno == ECHILD);
}

TEST_CASE("AMX is avoided if it is listed and fails, and tried only if it is listed") {
  CHECK(amx_must_be_avoided(true, [] { return false; }));
  CHECK_FALSE(amx_must_be_avoided(true, [] { return true; }));
  const auto never = [] {
    FAIL("AMX was tried");
    return false;
  };
  CHECK_FALSE(amx_must_be_avoided(false, never));
}

TEST_CASE("a CPU that does not list AMX does not run it") {
  if (lists_amx()) {
    MESSAGE("skipped: this processor lists AMX, and " << (runs_amx() ? "runs" : "does not run") << " it");
    return;
  }
  CHECK_FALSE(runs_amx());
}
