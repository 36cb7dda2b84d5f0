#include "actors/driver/elasticity.hpp"

#include <algorithm>

namespace troupe {
namespace {

constexpr std::chrono::seconds kBetweenLooks{1};

}  // namespace

Elasticity::Elasticity(const Options& options, int cores)
    : workers_(options.num_workers), restart_(options.fault_tolerance.restart), cores_(cores) {}

int Elasticity::workers_for(int cores) const { return std::clamp(cores, workers_.min, workers_.max); }

bool Elasticity::drops_lost(bool allowed) const {
  return allowed ? restart_ == Restart::redistribute : workers_.is_range();
}

bool Elasticity::is_due(Clock::time_point now) {
  if (!workers_.is_range() || now < next_look_) return false;
  next_look_ = now + kBetweenLooks;
  return true;
}

std::optional<int> Elasticity::follow(int cores) {
  if (cores == cores_) return std::nullopt;
  cores_ = cores;
  return workers_for(cores);
}

}  // namespace troupe
