#include "collectives/group/node_communicator.hpp"

namespace troupe {
namespace {

/// To tell the others that a rank has left.
constexpr std::chrono::seconds kToLeave{1};

}  // namespace

NodeCommunicator::NodeCommunicator(std::shared_ptr<NodeGroup> group, int rank, std::chrono::milliseconds timeout,
                                   const AskAbsent& absent)
    : group_(std::move(group)),
      meeting_(group_->meeting_memory(), {rank, group_->size(), group_->staging().local}),
      remote_(group_, meeting_),
      collectives_(
          meeting_, &remote_, [this] { return group_->staging(); }, timeout) {
  collectives_.begin(absent);
}

void NodeCommunicator::leave(ErrorCode code, const std::string& text) {
  meeting_.leave(code, text);
  remote_.leave(meeting_.farewell(code, text), Deadline(kToLeave));
}

}  // namespace troupe
