#include "mpi/scenarios.hpp"

#include <signal.h>

#include <chrono>
#include <cstdio>
#include <stdexcept>
#include <thread>
#include <vector>

#include "troupe/error.hpp"
#include "troupe/task_context.hpp"

namespace troupe {
namespace {

using std::chrono::milliseconds;

/// Sends a signal to this process after 100 ms, while it is in a collective or between two collectives.
void signal_soon(int signal) {
  std::thread([signal] {
    std::this_thread::sleep_for(milliseconds(100));
    ::raise(signal);
  }).detach();
}

void add_for_long(std::size_t count) {
  std::vector<float> values(count, 1.0f);
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  for (bool goes_on = true; goes_on;) {
    here().all_reduce(std::span<float>(values), ReduceOp::max);
    goes_on = here().all_reduce(std::int64_t{std::chrono::steady_clock::now() < end}, ReduceOp::max) > 0;
  }
}

void play(const std::string& name) {
  const bool first = here().rank() == 1;
  if (first && name == "killed") signal_soon(SIGKILL);
  if (first && name == "stopped") signal_soon(SIGSTOP);
  if (first && name == "throws") throw std::runtime_error("out of luck");
  if (first && name == "returns") return;
  add_for_long(name == "returns" ? 10 : 1'000'000);
}

}  // namespace

int run_scenario(const std::string& name) try {
  const StandaloneContext alone({.backend = "mpi", .collective_timeout = milliseconds(2000)});
  play(name);
  return 0;
} catch (const Error& error) {
  std::printf("rank error %s: %s\n", to_string(error.code()), error.what());
  std::fflush(stdout);
  return 1;
} catch (const std::exception& error) {
  std::printf("rank threw %s\n", error.what());
  std::fflush(stdout);
  return 1;
}

}  // namespace troupe
