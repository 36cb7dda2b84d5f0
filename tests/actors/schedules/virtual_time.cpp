#include "actors/schedules/virtual_time.hpp"

#include <thread>

namespace {

thread_local troupe_test::VirtualTime* virtual_time = nullptr;

}  // namespace

// Replaces the library's functions.
namespace troupe {

Clock::time_point Clock::now() noexcept {
  return virtual_time == nullptr ? std::chrono::steady_clock::now() : virtual_time->now();
}

void Clock::sleep_for(duration time) {
  virtual_time == nullptr ? std::this_thread::sleep_for(time) : virtual_time->pass(time);
}

}  // namespace troupe

namespace troupe_test {

VirtualTime::VirtualTime() { virtual_time = this; }
VirtualTime::~VirtualTime() { virtual_time = nullptr; }

}  // namespace troupe_test
