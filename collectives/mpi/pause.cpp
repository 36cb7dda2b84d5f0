#include "collectives/mpi/pause.hpp"

#include <sched.h>

#include <chrono>

#include "runtime/clock.hpp"

namespace troupe {
namespace {

constexpr std::chrono::microseconds kNap{20};

}  // namespace

Pause::Pause(bool crowded) : spins_(crowded ? 100 : 1000), yields_(spins_ + (crowded ? 100 : 4000)) {}

void Pause::operator()() {
  if (looks_ == yields_) {
    Clock::sleep_for(kNap);
  } else if (++looks_ > spins_) {
    ::sched_yield();
  }
}

}  // namespace troupe
