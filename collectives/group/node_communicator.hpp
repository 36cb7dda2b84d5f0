#pragma once

#include <chrono>
#include <memory>

#include "collectives/group/rank_collectives.hpp"

namespace troupe {

/// Connects one rank with the other ranks of a group over several nodes. The ranks of one node share memory. Data
/// between nodes is sent over the data plane.
class NodeCommunicator : public Communicator {
 public:
  /// Blocks until all ranks of the group have constructed their NodeCommunicator.
  /// @param group the object that the ranks of this node share
  /// @param rank the number of this rank
  /// @param timeout the time limit of this constructor and of each collective
  /// @param absent called repeatedly while the constructor waits; returns a rank that will not arrive, if one is known
  /// @throws Error as documented at `Group`
  NodeCommunicator(std::shared_ptr<NodeGroup> group, int rank, std::chrono::milliseconds timeout,
                   const AskAbsent& absent = {});

  int rank() const override { return barrier_.layout().rank; }
  int size() const override { return barrier_.layout().size; }
  const char* name() const override { return "data-plane"; }
  void run(const Collective& call) override { collectives_.run(call); }
  void leave(ErrorCode code, const std::string& text) override;
  void break_up(const Absence& absence) override { barrier_.break_up(absence); }

 private:
  std::shared_ptr<NodeGroup> group_;
  SharedBarrier barrier_;
  RemoteRanks remote_;
  RankCollectives collectives_;
};

}  // namespace troupe
