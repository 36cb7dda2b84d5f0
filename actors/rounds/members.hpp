#pragma once

#include <cstdint>
#include <vector>

#include "collectives/plan/topology.hpp"

namespace troupe {

/// Who takes part in a run, and what is known of each: workers, by their index, and behind them nodes. Without nodes
/// workers may come and go, and keep their indices. Deals shards out as a pure function of the numbers of workers,
/// devices and shards. Plain book-keeping.
class Members {
 public:
  /// @param num_nodes that host the workers, dealt to them evenly, in order; 0 on one machine.
  Members(int num_workers, int devices, int num_nodes, int num_shards);

  /// Deals the workers to another number of nodes, before any has come.
  void deal_to_nodes(int num_nodes);

  int num_workers() const { return topology_.num_lanes() / devices_; }
  int num_nodes() const { return static_cast<int>(lost_nodes_.size()); }
  int devices() const { return devices_; }
  /// Those that take part, in order.
  std::vector<int> workers() const;
  bool takes_part(int worker) const;
  /// Position among those that take part.
  int rank_of(int worker) const { return workers_.at(static_cast<std::size_t>(worker)).rank; }
  /// As members.
  std::vector<int> nodes() const;
  bool is_node(int member) const { return num_nodes() > 0 && member >= num_workers() && !is_server(member); }
  /// Parameter servers of this process are members, too, which are always there.
  static bool is_server(int member) { return member >= kFirstServer; }
  static int member_of_server(int server) { return kFirstServer + server; }
  static int server_of(int member) { return member - kFirstServer; }
  int member_of_node(int node) const { return num_workers() + node; }
  /// Which node a member is, or where a worker lives.
  int node_of(int member) const;

  const Topology& topology() const { return topology_; }
  Range lanes_of(int worker) const;
  Range shards_of(int worker) const { return topology_.shards_of_lanes(lanes_of(worker)); }

  // Without nodes. All have other shards then, and replicas are to be built.
  /// One more takes part, in the first free place; it is lost until it comes.
  void add();
  /// A worker takes part no more.
  void drop(int worker);

  // What is known of each. To begin with workers are lost, and nodes are there.
  bool lost(int member) const;
  void lose(int member);
  /// A worker has joined, in place of one that was lost; its replicas are not built.
  void come(int worker);
  void build(int worker) { workers_.at(static_cast<std::size_t>(worker)).built = true; }
  /// All replicas are to be built anew.
  void rebuild();
  std::vector<int> lost_workers() const;
  std::vector<int> unbuilt_workers() const;
  /// Whether a worker was lost that had come.
  bool silent_workers() const;
  /// Whether a worker has never come to its place.
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
  std::vector<bool> lost_nodes_;
};

}  // namespace troupe
