#include "actors/placements/cluster/gathering.hpp"

#include <algorithm>

namespace troupe {

bool Gathering::suffice(const std::vector<JoinedNode>& joined, const std::vector<std::size_t>& nodes) const {
  std::vector<JoinedNode> those;
  those.reserve(nodes.size());
  for (const std::size_t node : nodes) those.push_back(joined[node]);
  return needed_.suffice(those);
}

void Gathering::add_leavers(const std::vector<JoinedNode>& joined, std::vector<std::size_t>& chosen) const {
  for (std::size_t node = 0; node < joined.size(); ++node) {
    if (!joined[node].leaves) continue;
    if (chosen.size() >= least_ && (suffice(joined, chosen) || !needed_.are_on(joined[node]))) continue;
    if (chosen.size() == most_ && needed_.are_on(joined[chosen.back()])) return;
    if (chosen.size() == most_) chosen.pop_back();
    chosen.insert(chosen.begin(), node);
  }
}

std::vector<std::size_t> Gathering::stayers(const std::vector<JoinedNode>& joined) const {
  std::vector<std::size_t> chosen;
  chosen.reserve(joined.size());
  for (std::size_t node = 0; node < joined.size(); ++node)
    if (!joined[node].leaves) chosen.push_back(node);
  std::stable_partition(chosen.begin(), chosen.end(), [&](std::size_t node) { return needed_.are_on(joined[node]); });
  chosen.resize(std::min(chosen.size(), most_));
  return chosen;
}

bool Gathering::needs_leavers(const std::vector<JoinedNode>& joined) const {
  const std::vector<std::size_t> nodes = stayers(joined);
  return nodes.size() < least_ || !suffice(joined, nodes);
}

std::vector<std::size_t> Gathering::choose(const std::vector<JoinedNode>& joined, bool late) {
  if (joined.size() != before_) quiet_ = Deadline(kQuietTime);
  before_ = joined.size();
  std::vector<std::size_t> chosen = stayers(joined);
  const bool awaited = expected_ > 0 ? chosen.size() < expected_ && !return_.passed() : !quiet_.passed();
  if (chosen.size() < most_ && awaited && !late) return {};
  add_leavers(joined, chosen);
  if (chosen.size() < least_) return {};
  const Deadline& copies = chosen.size() == most_ ? return_ : copies_;
  if (!late && !copies.passed() && !suffice(joined, chosen)) return {};
  return chosen;
}

}  // namespace troupe
