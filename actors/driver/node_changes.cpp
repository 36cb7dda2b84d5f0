#include "actors/driver/node_changes.hpp"

#include <algorithm>

namespace troupe {

std::optional<int> NodeChanges::due(const std::vector<std::string>& newcomers, int leavers, int nodes, int most,
                                    Clock::time_point now) {
  std::erase_if(ignored_, [&](const auto& each) { return each.second <= now; });
  awaited_.clear();
  std::ranges::copy_if(newcomers, std::back_inserter(awaited_),
                       [&](const std::string& name) { return !ignored_.contains(name); });
  if (awaited_.empty() && leavers == 0) return std::nullopt;
  return std::clamp(nodes - leavers + static_cast<int>(awaited_.size()), 1, most);
}

void NodeChanges::note_formed(const std::vector<std::string>& names, Clock::time_point now) {
  for (const std::string& name : awaited_)
    if (std::ranges::count(names, name) == 0) ignored_[name] = now + kIgnored;
  awaited_.clear();
}

}  // namespace troupe
