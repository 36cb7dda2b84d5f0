#include "actors/driver/copies/copy_record.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "troupe/error.hpp"

namespace troupe {
namespace {

/// States which node provides the slices of an owner.
struct Source {
  int node = 0;
  bool kept = false;  ///< the node was the owner's buddy
};

/// Returns by owner the node that returned and was this owner; -1 if the owner did not return.
std::vector<int> find_owners(const CopyRecord& record, const std::vector<Returned>& nodes) {
  std::vector<int> at(record.owners.size(), -1);
  for (std::size_t node = 0; node < nodes.size(); ++node) {
    const auto& copy = nodes[node].copy;
    if (!copy || !record.is_of(*copy, nodes[node].name)) continue;
    int& owner_at = at[static_cast<std::size_t>(copy->holder)];
    if (owner_at < 0) owner_at = static_cast<int>(node);
  }
  return at;
}

std::vector<Source> find_sources(const CopyRecord& record, const std::vector<int>& at) {
  std::vector<Source> sources;
  std::string lost;
  for (int owner = 0; owner < static_cast<int>(record.owners.size()); ++owner) {
    const int own = at[static_cast<std::size_t>(owner)];
    const int buddy = at[static_cast<std::size_t>(record.buddy_of(owner))];
    sources.push_back(own >= 0 ? Source{own, false} : Source{buddy, true});
    const bool needed = record.vectors > 1 && !record.owners[static_cast<std::size_t>(owner)].slices.empty();
    if (own >= 0 || buddy >= 0 || !needed) continue;
    lost += (lost.empty() ? "" : ", ") + record.owners[static_cast<std::size_t>(owner)].name;
  }
  if (!lost.empty())
    throw Error(ErrorCode::worker_lost, "the slices of " + lost + " of the optimizer's state are lost: the nodes and " +
                                            "the buddies that kept copies of the slices were all lost");
  return sources;
}

Range overlap(const Range& a, const Range& b) { return {std::max(a.begin, b.begin), std::min(a.end, b.end)}; }

}  // namespace

bool CopyRecord::is_of(const OfferedCopy& copy, const std::string& name) const {
  return copy.holder >= 0 && std::cmp_less(copy.holder, owners.size()) &&
         owners[static_cast<std::size_t>(copy.holder)].name == name;
}

std::uint64_t next_number(std::uint64_t last, const CopyRecord* newest) {
  return newest != nullptr && newest->number % 2 == (last + 1) % 2 ? last + 2 : last + 1;
}

std::vector<CopyPiece> pieces_of(const CopyRecord& record, const std::vector<Returned>& nodes) {
  const std::vector<int> at = find_owners(record, nodes);
  std::vector<int> holders;  // the returned nodes that have a copy, and so all weights
  std::ranges::copy_if(at, std::back_inserter(holders), [](int node) { return node >= 0; });
  if (holders.empty()) throw Error(ErrorCode::worker_lost, "all nodes that had copies of the state were lost");
  const std::vector<Source> sources = find_sources(record, at);
  std::vector<CopyPiece> pieces;
  for (int to = 0; to < static_cast<int>(nodes.size()); ++to) {
    const bool has = std::ranges::count(holders, to) > 0;
    const int from = has ? to : holders[static_cast<std::size_t>(to) % holders.size()];
    pieces.push_back({0, 0, record.size, from, to, false});
    for (int vector = 1; vector < record.vectors; ++vector)
      for (std::size_t owner = 0; owner < record.owners.size(); ++owner) {
        const Range range = overlap(record.owners[owner].slices, nodes[static_cast<std::size_t>(to)].slices);
        if (range.empty()) continue;
        pieces.push_back({vector, range.begin, range.end, sources[owner].node, to, sources[owner].kept});
      }
  }
  return pieces;
}

std::optional<int> find_false_copy(const CopyRecord& record, const std::vector<CopyPiece>& pieces,
                                   const std::vector<std::uint64_t>& sums) {
  std::map<std::pair<int, std::size_t>, std::uint64_t> of_slices;  // by vector and owner
  std::map<std::size_t, int> sender;                               // by owner
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const CopyPiece& piece = pieces[i];
    if (piece.vector == 0) {
      if (sums.at(i) != record.weights_sum) return piece.from;
      continue;
    }
    const auto owner = std::ranges::find_if(record.owners, [&](const CopyRecord::Owner& each) {
      return piece.begin >= each.slices.begin && piece.end <= each.slices.end;
    });
    const auto number = static_cast<std::size_t>(owner - record.owners.begin());
    of_slices[{piece.vector, number}] += sums.at(i);
    sender[number] = piece.from;
  }
  for (const auto& [slices, sum] : of_slices)
    if (record.owners.at(slices.second).sums.at(static_cast<std::size_t>(slices.first - 1)) != sum)
      return sender.at(slices.second);
  return std::nullopt;
}

}  // namespace troupe
