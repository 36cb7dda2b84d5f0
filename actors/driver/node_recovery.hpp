#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "actors/driver/copies/copies.hpp"
#include "actors/driver/node_changes.hpp"
#include "actors/driver/run.hpp"

namespace troupe {

/// Forms a run, and forms a run in a cluster again after the loss of a node, or because nodes want to join or leave. A
/// part of the optimizer's state is lost with a node. Therefore the run ends, and is formed again from the nodes that
/// then join. It continues from the newest copy of the state in the memory of nodes, or from the newest valid
/// checkpoint, and repeats the steps since then. For the nodes, this is a new run.
class NodeRecovery {
 public:
  NodeRecovery(Run& run, Copies& copies);

  /// Creates the members of the run, and waits until its nodes have joined. Does not start workers.
  void form(int num_workers);
  /// Records which nodes have joined and left since the run was formed last.
  void note_nodes();
  /// Returns the changes of nodes since the last call.
  NodesReport take_report() { return std::exchange(report_, {}); }

  /// Returns whether the run can be formed again after it has lost a node: from a copy of its state, from a checkpoint,
  /// or, before the first copy, from its beginning. The present state must follow from there by steps alone.
  bool can_form_again() const;
  /// Records that the run must be formed again because of `loss`, and how many nodes are known to join it then.
  void expect_survivors(const Error& loss);
  /// Returns the number of nodes with which the run should be formed again now, because nodes want to join or leave.
  /// Returns none if there is no reason.
  std::optional<int> changed_nodes();
  /// Records that the run must be formed again with `nodes` nodes, although no node is lost.
  void expect(int nodes);
  /// Makes `changed_nodes` return none for a while, because the state of the run could not be preserved.
  void postpone() { changes_.postpone(Clock::now()); }

  /// Ends the run and forms it again from the nodes that then join. Restores the newest copy of the state or loads the
  /// newest valid checkpoint, and repeats the steps since then. Returns the number of repeated steps. If this function
  /// throws, the run is not formed.
  std::int64_t form_again();
  /// Returns the weights of a run that could not be formed again, until it is formed; empty if they are lost.
  const std::vector<float>& kept_weights() const { return kept_weights_; }

 private:
  void end_lost_run() noexcept;
  std::int64_t start_again();
  /// Loads the newest valid checkpoint of the lineage. If there is no valid checkpoint, but the lineage starts from the
  /// initial weights, keeps the initial weights.
  /// @throws Error bad_file if the run can continue from neither
  void go_back();
  /// Makes the steps after the committed version, until as many steps are done as when the node was lost.
  void repeat_steps();

  Run& run_;
  Copies& copies_;
  NodeChanges changes_;
  NodesReport report_;        ///< the changes of nodes since `take_report`
  int expected_ = 0;          ///< the number of nodes that are known to join; 0 if no node is known
  std::optional<Error> why_;  ///< the loss because of which the run is formed again
  bool restored_ = false;     ///< the present run, which was formed again, continues from a copy
  std::vector<float> kept_weights_;
};

}  // namespace troupe
