#pragma once

#include <chrono>
#include <memory>

#include "collectives/group/rank_collectives.hpp"

namespace troupe {

/// Connects ranks on several nodes. The ranks of one node share memory; data between nodes travels over the data plane.
class NodeCommunicator : public Communicator {
 public:
  /// Blocks until all ranks of the group have constructed their objects.
  /// @param rank the number of this rank
  /// @param timeout the time limit of this constructor and of each collective
  /// @param absent called repeatedly while the constructor waits; returns a rank that will not arrive
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
