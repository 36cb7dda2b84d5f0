#pragma once

#include <cstdint>
#include <vector>

#include "collectives/plan/topology.hpp"

namespace troupe {

/// Records the members of a run and the state of each member. Members are numbered: workers have the lowest numbers,
/// and nodes follow. If all workers are on one machine, there are no nodes; then workers may be added and dropped, and
/// the other workers keep their numbers. The assignment of shards to workers depends only on the numbers of workers,
/// devices and shards. This class sends no messages.
class Members {
 public:
  /// @param num_nodes the number of nodes that host the workers; 0 if all workers are on one machine. Workers are
  /// assigned to nodes evenly and in order.
  Members(int num_workers, int devices, int num_nodes, int num_shards);

  /// Sets the number of workers, and assigns the workers to nodes in proportion to the cores of the nodes. Each node
  /// gets at least one worker. Must be called before the first worker joins.
  /// @param cores by node: its number of usable cores
  /// @param num_workers at least the number of nodes
  void deal_to_nodes(const std::vector<int>& cores, int num_workers);

  int num_workers() const { return topology_.num_lanes() / devices_; }
  int num_nodes() const { return static_cast<int>(lost_nodes_.size()); }
  int devices() const { return devices_; }
  /// Returns the numbers of the workers that take part in the run, in ascending order.
  std::vector<int> workers() const;
  /// Returns whether the worker takes part in the run, which means that it was not dropped.
  bool takes_part(int worker) const;
  /// Returns the rank of `worker`: its position among the workers that take part.
  int rank_of(int worker) const { return workers_.at(static_cast<std::size_t>(worker)).rank; }
  /// Returns the member numbers of all nodes.
  std::vector<int> nodes() const;
  bool is_node(int member) const { return num_nodes() > 0 && member >= num_workers() && !is_server(member); }
  /// Returns whether `member` is the number of a parameter server in the driver's process. The numbers of such servers
  /// are in a range of their own, and such servers are never lost.
  static bool is_server(int member) { return member >= kFirstServer; }
  static int member_of_server(int server) { return kFirstServer + server; }
  static int server_of(int member) { return member - kFirstServer; }
  int member_of_node(int node) const { return num_workers() + node; }
  /// Returns the node's index (from 0) if `member` is a node. If `member` is a worker, returns the index of the node
  /// that hosts it.
  int node_of(int member) const;

  const Topology& topology() const { return topology_; }
  Range lanes_of(int worker) const;
  Range shards_of(int worker) const { return topology_.shards_of_lanes(lanes_of(worker)); }

  // `add` and `drop` may only be called if there are no nodes. Both functions change the assignment of shards to all
  // workers, so all replicas must be built again afterwards.
  /// Adds a worker. The worker gets the lowest number of a dropped worker, or a new number if no worker was dropped.
  /// The worker counts as lost until it joins.
  void add();
  /// Removes `worker` from the run. Its number becomes free for `add`.
  void drop(int worker);

  // The next functions read and change the state of members. Initially all workers are lost, because they have not
  // joined yet, and no node is lost.
  bool lost(int member) const;
  void lose(int member);
  /// Records that an actor has joined as `worker`, which was lost until now. The worker's replicas are not built yet.
  void come(int worker);
  /// Records that the replicas of `worker` are built.
  void build(int worker) { workers_.at(static_cast<std::size_t>(worker)).built = true; }
  /// Marks the replicas of all workers as not built, so that they are built again.
  void rebuild();
  std::vector<int> lost_workers() const;
  std::vector<int> unbuilt_workers() const;
  /// Returns whether any lost worker had joined before.
  bool silent_workers() const;
  /// Returns whether no actor has ever joined as `worker` since the worker was added.
  bool never_came(int worker) const { return !workers_.at(static_cast<std::size_t>(worker)).came; }

 private:
  static constexpr int kFirstServer = 1 << 20;

  struct WorkerState {
    bool takes_part = true;
    bool lost = true;
    bool came = false;
    bool built = false;
    int rank = 0;
  };
  void deal();

  int devices_;
  Topology topology_;
  std::vector<WorkerState> workers_;
  std::vector<int> workers_of_node_;  ///< empty if there are no nodes
  std::vector<bool> lost_nodes_;
};

}  // namespace troupe
