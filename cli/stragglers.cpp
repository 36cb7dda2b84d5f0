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
  const auto stands_out = [&](const Tally& tally) {
    return tally.steps >= kLeast && (tally.steps * kShare >= steps_ || tally.lost() * kShare >= seconds_);
  };
  int worker = -1;
  Tally tally;
  for (const auto& [number, each] : workers_) {
    if (!stands_out(each) || (worker >= 0 && each.lost() <= tally.lost())) continue;
    worker = number;
    tally = each;
  }
  if (worker < 0) return "";
  const auto steps = static_cast<double>(tally.steps);
  char text[160];
  std::snprintf(text, sizeof text, "worker %d in %lld of %lld steps: %.4f s against %.4f s of the others", worker,
                static_cast<long long>(tally.steps), static_cast<long long>(steps_), tally.seconds / steps,
                tally.others / steps);
  return text;
}

}  // namespace troupe::cli
