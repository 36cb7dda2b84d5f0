#pragma once

#include <utility>
#include <vector>

#include "actors/messages/generation.hpp"
#include "actors/rounds/members.hpp"
#include "actors/rounds/rounds.hpp"

namespace troupe {

/// Sends a new membership to all nodes, to each with its own number in it, and then lets them dial each other.
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

}  // namespace troupe
