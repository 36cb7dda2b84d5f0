#include <doctest/doctest.h>

#include <csignal>

#include "runtime/processes/held_signals.hpp"

using namespace troupe;

namespace {

volatile std::sig_atomic_t handled = 0;

/// Behaves like a program that ends gracefully at the first signal and at once at the second.
void handle(int signal) {
  handled = handled + 1;
  std::signal(signal, SIG_DFL);
}

}  // namespace

TEST_CASE("signals are held back until came() is called, which runs the handlers; a second signal ends the program") {
  handled = 0;
  struct sigaction before {};
  REQUIRE(::sigaction(SIGHUP, nullptr, &before) == 0);
  std::signal(SIGHUP, handle);
  {
    const HeldSignals held;
    CHECK_FALSE(held.came());
    std::raise(SIGHUP);
    CHECK(handled == 0);
    CHECK_FALSE(held.came());
    CHECK(handled == 1);
    std::raise(SIGHUP);
    CHECK(held.came());
    CHECK(handled == 1);
    std::signal(SIGHUP, SIG_IGN);  // keep the test alive
  }
  CHECK(handled == 1);
  ::sigaction(SIGHUP, &before, nullptr);
}
