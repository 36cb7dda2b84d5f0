#include "actors/driver/node_changes.hpp"

#include <algorithm>

namespace troupe {

std::vector<std::string> names_of_nodes(const Host& host, const Members& members) {
  std::vector<std::string> names;
  names.reserve(static_cast<std::size_t>(members.num_nodes()));
  for (int node = 0; node < members.num_nodes(); ++node) names.push_back(host.certificate_of(node));
  std::ranges::sort(names);
  return names;
}

int nodes_after_loss(const Host& host, const Members& members, int most) {
  const auto living = std::ranges::count_if(members.nodes(), [&](int node) { return !members.lost(node); });
  return std::min(static_cast<int>(living + std::ssize(host.newcomers())), most);
}

std::optional<int> NodeChanges::due(const std::vector<std::string>& newcomers, int leavers, int nodes, int most,
                                    Clock::time_point now) {
  std::erase_if(ignored_, [&](const auto& each) { return each.second <= now; });
  awaited_.clear();
  if (now < paused_until_) return std::nullopt;
  std::ranges::copy_if(newcomers, std::back_inserter(awaited_),
                       [&](const std::string& name) { return !ignored_.contains(name); });
  leavers_ = leavers <= kept_leavers_ && now < leavers_wait_until_ && awaited_.empty() ? 0 : leavers;
  if (awaited_.empty() && leavers_ == 0) return std::nullopt;
  return std::clamp(nodes - leavers_ + static_cast<int>(awaited_.size()), 1, most);
}

NodesChange NodeChanges::note_formed(std::vector<std::string> names, std::int64_t step, Clock::time_point now) {
  for (const std::string& name : awaited_)  // several nodes may share a certificate and its name
    if (std::ranges::count(names, name) <= std::ranges::count(formed_, name)) ignored_[name] = now + kIgnored;
  awaited_.clear();
  NodesChange change{step, now, {}, {}};
  if (!formed_.empty()) {
    std::ranges::set_difference(names, formed_, std::back_inserter(change.joined));
    std::ranges::set_difference(formed_, names, std::back_inserter(change.left));
  }
  formed_ = std::move(names);
  if (change.empty()) {
    kept_leavers_ = leavers_;
    leavers_wait_until_ = now + kPause;
  }
  leavers_ = 0;
  if (change.empty()) return change;
  if (history_.size() == kKept) history_.erase(history_.begin());
  history_.push_back(change);
  return change;
}

}  // namespace troupe
