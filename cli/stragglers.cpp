#include "cli/stragglers.hpp"

#include <algorithm>
#include <cstdio>

namespace troupe::cli {

void Stragglers::add(const Slowest& slowest) {
  ++steps_;
  seconds_ += slowest.seconds;
  if (!slowest.stands_out()) return;
  Tally& tally = workers_[slowest.worker];
  ++tally.steps;
  tally.seconds += slowest.seconds;
  tally.others += slowest.others;
}

std::string Stragglers::text() const {
  constexpr std::int64_t kLeast = 3;
  constexpr std::int64_t kShare = 10;
  const auto most = std::ranges::max_element(workers_, {}, [](const auto& each) { return each.second.lost(); });
  if (most == workers_.end() || most->second.steps < kLeast) return "";
  const auto& [worker, tally] = *most;
  if (tally.steps * kShare < steps_ && tally.lost() * kShare < seconds_) return "";
  const auto steps = static_cast<double>(tally.steps);
  char text[160];
  std::snprintf(text, sizeof text, "worker %d in %lld of %lld steps: %.4f s against %.4f s of the others", worker,
                static_cast<long long>(tally.steps), static_cast<long long>(steps_), tally.seconds / steps,
                tally.others / steps);
  return text;
}

}  // namespace troupe::cli
