#include "collectives/group/remote_ranks.hpp"

#include <algorithm>

#include "collectives/group/elements.hpp"

namespace troupe {
namespace {

/// The interval at which a rank that waits for another node checks whether the group is broken.
constexpr std::chrono::milliseconds kLooksForBreakEvery{100};

}  // namespace

RemoteRanks::RemoteRanks(std::shared_ptr<NodeGroup> group, SharedBarrier& barrier)
    : group_(std::move(group)),
      barrier_(barrier),
      rank_(barrier.layout().rank),
      ranks_(each_rank(group_->size())),
      own_sums_(group_->sums_of(group_->node())) {}

std::vector<Range> RemoteRanks::terms() const {
  std::vector<Range> terms;
  for (int node = 0; node < group_->num_nodes(); ++node) {
    const Range ranks = group_->ranks_of(node);
    if (node == group_->node())
      for (std::size_t rank = ranks.begin; rank < ranks.end; ++rank) terms.push_back({rank, rank + 1});
    else
      std::ranges::copy(group_->sums_of(node), std::back_inserter(terms));
  }
  return terms;
}

void RemoteRanks::say(std::span<const std::byte> said, const Deadline& deadline) const {
  const WindowId window = group_->window_of_said(rank_, barrier_.calls() % 2);
  for (int node = 0; node < group_->num_nodes(); ++node)
    if (node != group_->node()) send(node, window, barrier_.calls(), 0, said, deadline);
}

void RemoteRanks::await_said(const Deadline& deadline) {
  for (int rank = 0; rank < group_->size(); ++rank)
    if (!is_local(rank)) await(rank, group_->window_of_said(rank, barrier_.calls() % 2), barrier_.calls(), 0, deadline);
}

void RemoteRanks::leave(std::span<const std::byte> farewell, const Deadline& deadline) const {
  const WindowId window = group_->window_of_farewell(rank_);
  for (int node = 0; node < group_->num_nodes(); ++node) try {
      if (node != group_->node()) group_->transport().send(node, window, 1, 0, farewell, deadline);
    } catch (const Error&) {  // this node cannot be reached
    }
}

void RemoteRanks::hear_farewells() const {
  for (int rank = 0; rank < group_->size(); ++rank) {
    if (is_local(rank)) continue;
    try {
      group_->transport().wait(group_->window_of_farewell(rank), 1, 0, Deadline(std::chrono::milliseconds(0)));
    } catch (const Error&) {
      continue;  // no farewell has arrived
    }
    barrier_.hear_farewell(rank);
  }
}

void RemoteRanks::send_sums(const Collective& call, const SliceOf& slice_of, const Deadline& deadline) {
  const Range local = group_->staging().local;
  std::size_t turn = 0;
  for (int to = 0; to < group_->size(); ++to) {
    if (is_local(to) || turn++ % local.size() != static_cast<std::size_t>(rank_) - local.begin) continue;
    const Range slice = slice_of(to);
    for (std::size_t i = 0; i < own_sums_.size() && !slice.empty(); ++i)
      send_sum(call, own_sums_[i], static_cast<std::uint32_t>(i), to, slice, deadline);
  }
}

void RemoteRanks::send_sum(const Collective& call, const Range& ranks, std::uint32_t segment, int to,
                           const Range& slice, const Deadline& deadline) {
  sources_.clear();
  for (std::size_t rank = ranks.begin; rank < ranks.end; ++rank)
    sources_.push_back(group_->staging().chunk_of(static_cast<int>(rank)) + slice.begin);
  const std::byte* sum = sources_.front();
  if (ranks.size() > 1) {
    sum_.resize(group_->staging().piece_bytes);
    const ReduceOp op = call.op == ReduceOp::mean ? ReduceOp::sum : call.op;
    const std::span<const Range> each = std::span(ranks_).subspan(ranks.begin, ranks.size());
    reduce_elements(call.type, op, each, sources_.data(), slice.size() / bytes_of(call.type), sum_.data());
    sum = sum_.data();
  }
  send(group_->node_of(to), group_->window_of_sums(group_->node(), to), ticket_, segment, {sum, slice.size()},
       deadline);
}

void RemoteRanks::await_sums(std::vector<const std::byte*>& sources, const Deadline& deadline) {
  std::size_t at = 0;
  for (int node = 0; node < group_->num_nodes(); ++node) {
    if (node == group_->node()) {
      at += group_->staging().local.size();
      continue;
    }
    const std::size_t sums = group_->sums_of(node).size();
    const auto first = static_cast<int>(group_->ranks_of(node).begin);
    for (std::size_t i = 0; i < sums; ++i, ++at) {
      await(first, group_->window_of_sums(node, rank_), ticket_, static_cast<std::uint32_t>(i), deadline);
      sources[at] = group_->sum_from(node, rank_, i);
    }
  }
}

void RemoteRanks::send_made(std::size_t bytes, const Deadline& deadline) const {
  if (bytes == 0) return;
  for (int node = 0; node < group_->num_nodes(); ++node)
    if (node != group_->node())
      send(node, group_->window_of_made(rank_), ticket_, 0, {group_->staging().made_by(rank_), bytes}, deadline);
}

void RemoteRanks::await_made(int rank, const Deadline& deadline) {
  if (!is_local(rank)) await(rank, group_->window_of_made(rank), ticket_, 0, deadline);
}

void RemoteRanks::send(int node, WindowId window, std::uint64_t ticket, std::uint32_t segment,
                       std::span<const std::byte> bytes, const Deadline& deadline) const {
  try {
    group_->transport().send(node, window, ticket, segment, bytes, deadline);
  } catch (const Error& error) {
    barrier_.lose({error.code(), static_cast<int>(group_->ranks_of(node).begin), error.message()});
  }
}

void RemoteRanks::await(int rank, WindowId window, std::uint64_t ticket, std::uint32_t segment,
                        const Deadline& deadline) {
  for (;;) try {
      const Deadline look(std::min(kLooksForBreakEvery, deadline.left()));
      return group_->transport().wait(window, ticket, segment, look);
    } catch (const Error& error) {
      if (error.code() != ErrorCode::timeout) barrier_.lose({error.code(), rank, error.message()});
      barrier_.throw_if_broken();
      hear_farewells();
      if (deadline.passed()) barrier_.miss(rank);
    }
}

}  // namespace troupe
