#include "collectives/group/node_communicator.hpp"

namespace troupe {
namespace {

/// The time limit within which this rank notifies all other nodes that it has left the group.
constexpr std::chrono::seconds kToLeave{1};

}  // namespace

NodeCommunicator::NodeCommunicator(std::shared_ptr<NodeGroup> group, int rank, std::chrono::milliseconds timeout,
                                   const AskAbsent& absent)
    : group_(std::move(group)),
      barrier_(group_->barrier_memory(), {rank, group_->size(), group_->staging().local}),
      remote_(group_, barrier_),
      collectives_(
          barrier_, &remote_, [this] { return group_->staging(); }, timeout) {
  collectives_.begin(absent);
}

void NodeCommunicator::leave(ErrorCode code, const std::string& text) {
  barrier_.leave(code, text);
  remote_.leave(barrier_.farewell(code, text), Deadline(kToLeave));
}

}  // namespace troupe
