#pragma once

#include <atomic>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "actors/worker/node_share.hpp"
#include "actors/worker/replica.hpp"
#include "actors/worker/turn.hpp"
#include "collectives/exchange/page_squares.hpp"
#include "collectives/plan/plan.hpp"
#include "collectives/state/worker_slabs.hpp"
#include "models/optimizers/groups.hpp"
#include "models/optimizers/update_rules.hpp"
#include "runtime/clock.hpp"
#include "runtime/store/store_client.hpp"

namespace troupe {

/// The data of a worker, which its handlers use.
struct WorkerState {
  int index = 0;
  std::shared_ptr<StoreClient> store;
  /// Creates the models, for a worker in the driver's process. Workers in other processes look up a creator by name.
  CreateModel creator;
  std::shared_ptr<NodeShare> node;  ///< null if the run has no nodes

  // The next members are set when the replicas are built.
  PlanRequest plan_request;
  int first_lane = 0;
  bool backs_up = false;
  std::uint64_t seed = 0;
  std::unique_ptr<Places> places;  ///< limits how many replicas compute at the same time
  /// The number of threads that each replica may use when all replicas of this machine compute at the same time.
  int threads_a_replica = 1;

  // The next members are set when a generation begins.
  Plan plan;
  SlabLayout layout;
  std::unique_ptr<OwnGradients> gradients;  ///< the worker's gradients, created for this generation or an earlier one
  /// The gradients that the worker computes as a backup, created for the same generation as `gradients`. Null if
  /// workers are not backups of each other.
  std::unique_ptr<OwnGradients> backup_gradients;
  std::unique_ptr<WorkerSlabs> slabs;
  std::shared_ptr<NodeExchange> exchange;           ///< the exchange with other nodes; null on one machine
  std::shared_ptr<ServerExchange> server_exchange;  ///< used instead of `exchange` if nodes have parameter servers
  std::unique_ptr<UpdateRules> optimizer;
  /// In local SGD: the outer rule, which computes the new weights from the mean of the shards' copies. Null for other
  /// algorithms.
  std::unique_ptr<UpdateRules> outer;
  GroupRuns groups;        ///< the groups of tensors in the flat vector, for `optimizer`
  GroupRuns outer_groups;  ///< the groups for `outer`, which treats all tensors alike
  /// Sums of squares over the worker's slice, by page. If gradients are clipped: the squares of the mean gradient. In
  /// local SGD: the squares of the differences between the mean of the shards' copies and the old weights.
  PageSquares squares;
  /// If gradients are clipped and the worker with the previous rank is left out of the step: the sums of squares of the
  /// mean gradient over that worker's slice, by page.
  PageSquares squares_before;

  // The next members are set by the requests of a step.
  Stopwatch computing;
  Stopwatch computing_as_backup;
  /// The number of the newest round. A replica that still computes as a backup, or an L-BFGS portion, for an earlier
  /// round stops, because its result is no longer needed.
  std::atomic<std::uint64_t> newest_round{0};

  /// For L-BFGS, by portion: the index of the slab that contained the portion's gradient in the last `ReduceGradient`.
  std::vector<std::int32_t> reduced_slabs;

  // The number of bytes of the last push to other nodes (`bytes_delivered`), and of the last fetch from them
  // (`bytes_taken`).
  std::int64_t bytes_delivered = 0;
  std::int64_t bytes_taken = 0;

  std::shared_ptr<const nlohmann::json> arguments;  ///< the arguments of the user's function that the replicas run

  /// Must be the last member, because the threads of replicas use the other members.
  std::vector<std::unique_ptr<Replica>> replicas;

  /// Returns the rule with which the worker updates its slice: `outer` in local SGD, and otherwise `optimizer`.
  const UpdateRules& applied() const { return outer ? *outer : *optimizer; }
  /// Returns whether the length of the mean gradient must be computed, because the mean gradient is clipped.
  bool clips() const { return !outer && optimizer->clips(); }
  /// Blocks while the allowed number of replicas is computing. Until the returned object is destroyed, `replica` may
  /// compute. A replica with a lightweight model does not wait.
  Turn turn_of(const Replica& replica) const {
    return Turn(replica.model->info().lightweight ? nullptr : places.get());
  }
  /// Returns the lane of `replica`.
  int lane_of(const Replica& replica) const { return first_lane + replica.context.replica; }
  /// Returns the worker's rank among the workers that take part.
  int rank() const { return first_lane / static_cast<int>(replicas.size()); }
  /// Returns the lanes of the worker with the previous rank.
  Range lanes_before() const { return plan.topology.lanes_before(lanes()); }
  Range lanes() const {
    const auto first = static_cast<std::size_t>(first_lane);
    return {first, first + replicas.size()};
  }
};

}  // namespace troupe
