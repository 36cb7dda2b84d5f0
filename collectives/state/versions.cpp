#include "collectives/state/versions.hpp"

#include <algorithm>
#include <set>

namespace troupe {

void Versions::begin(int buffers) {
  const std::vector<int> moved = live();
  const auto renumber = [&moved](Place& place) {
    place.buffer = static_cast<int>(std::find(moved.begin(), moved.end(), place.buffer) - moved.begin());
  };
  if (any()) renumber(committed_);
  for (auto& [id, place] : pins_) renumber(place);
  buffers_ = buffers;
}

void Versions::forget() {
  buffers_ = 0;
  committed_ = {};
  pins_.clear();
}

std::optional<int> Versions::spare() const {
  const std::vector<int> taken = live();
  for (int buffer = 0; buffer < buffers_; ++buffer)
    if (std::find(taken.begin(), taken.end(), buffer) == taken.end()) return buffer;
  return std::nullopt;
}

Versions::PinId Versions::pin() {
  pins_[++last_pin_] = committed_;
  return last_pin_;
}

std::vector<int> Versions::live() const {
  std::set<int> buffers;
  if (any()) buffers.insert(committed_.buffer);
  for (const auto& [id, place] : pins_) buffers.insert(place.buffer);
  return {buffers.begin(), buffers.end()};
}

int Versions::pinned() const { return static_cast<int>(live().size()) - (any() ? 1 : 0); }

int Versions::buffers_needed() const { return 2 + std::max(pinned(), reserved_); }

}  // namespace troupe
