#include "runtime/clock.hpp"

#include <thread>

namespace troupe {

Clock::time_point Clock::now() noexcept { return std::chrono::steady_clock::now(); }

void Clock::sleep_for(duration time) { std::this_thread::sleep_for(time); }

}  // namespace troupe
