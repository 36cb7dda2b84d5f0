#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "actors/messages/generation.hpp"
#include "actors/node/memberships.hpp"
#include "actors/rounds/members.hpp"
#include "actors/rounds/rounds.hpp"

namespace troupe {

/// Begins a new membership (a generation or a group) on all nodes. Sends `request` to each node, with the node's index
/// in the field `self`. When all nodes have replied, requests them to connect to each other, and blocks until they have
/// connected.
/// @param request a BeginGeneration or BeginGroup
template <class Request>
void begin_on_nodes(Request request, const Members& members, Rounds& rounds, const Phase& phase) {
  std::vector<std::pair<int, Request>> requests;
  for (const int member : members.nodes()) {
    request.self = members.node_of(member);
    requests.emplace_back(member, request);
  }
  rounds.ask_each(requests, phase);
  rounds.ask(Connect{0, phase.deadline.left().count()}, members.nodes(), phase);
}

/// Begins a group on all nodes, in which users' functions on all workers run collectives. The driver does not take part
/// in the group.
inline void begin_group_on_nodes(const Memberships& nodes, const Members& members, std::uint64_t run,
                                 std::uint64_t generation, Rounds& rounds, const Phase& phase) {
  BeginGroup message;
  message.run = run;
  message.generation = generation;
  nodes.describe_members(message);
  message.peers.back().address = {};  // without an address, so that no node connects to the driver
  for (const int worker : members.workers()) message.node_of_rank.push_back(members.node_of(worker));
  begin_on_nodes(std::move(message), members, rounds, phase);
}

}  // namespace troupe
