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

/// The data that a worker's handlers use.
struct WorkerState {
  int index = 0;
  std::shared_ptr<StoreClient> store;
  CreateModel creator;              ///< for workers of the driver's process; other workers look up a creator by name
  std::shared_ptr<NodeShare> node;  ///< null without nodes

  // Set when the replicas are built.
  PlanRequest plan_request;
  int first_lane = 0;
  bool backs_up = false;
  std::uint64_t seed = 0;
  std::unique_ptr<Places> places;  ///< limits how many replicas compute at the same time
  /// The number of threads that a replica may use if all replicas of this machine compute at the same time.
  int threads_a_replica = 1;

  // Set when a generation begins.
  Plan plan;
  SlabLayout layout;
  std::unique_ptr<OwnGradients> gradients;  ///< made for this generation or an earlier one
  /// Made for the same generation; null if workers do not back each other up.
  std::unique_ptr<OwnGradients> backup_gradients;
  std::unique_ptr<WorkerSlabs> slabs;
  std::shared_ptr<NodeExchange> exchange;           ///< with other nodes; null on one machine
  std::shared_ptr<ServerExchange> server_exchange;  ///< used instead of `exchange` if nodes have parameter servers
  std::unique_ptr<UpdateRules> optimizer;
  /// The update rule for the mean of the shards' copies, if shards take local steps with `optimizer`; else null.
  std::unique_ptr<UpdateRules> outer;
  GroupRuns groups;        ///< the tensor groups of the flat vector, for `optimizer`
  GroupRuns outer_groups;  ///< the same for `outer`, which treats all tensors alike
  /// Sums of squares over the worker's slice. With clipping: of the mean gradient. In local SGD: of the distance of the
  /// mean of the shards' copies from the weights.
  PageSquares squares;
  /// Sums of squares over the slice of the worker with the previous rank, if that worker is left out. Used for
  /// clipping.
  PageSquares squares_before;

  // Set by the requests of a step.
  Stopwatch computing;
  Stopwatch computing_as_backup;
  /// The number of the newest round. A backup or an L-BFGS portion that is still computed for an earlier round stops,
  /// because its result is no longer needed.
  std::atomic<std::uint64_t> newest_round{0};

  /// L-BFGS: by portion, the slab that contained its gradient in the last reduction.
  std::vector<std::int32_t> reduced_slabs;

  // The number of bytes in the last push to other nodes, and in the last fetch from them.
  std::int64_t bytes_delivered = 0;
  std::int64_t bytes_taken = 0;

  std::shared_ptr<const nlohmann::json> arguments;  ///< the arguments of the function that the replicas run

  /// Must be the last member, because the replicas' threads use the others.
  std::vector<std::unique_ptr<Replica>> replicas;

  /// Returns the rule with which the worker updates its slice.
  const UpdateRules& applied() const { return outer ? *outer : *optimizer; }
  /// Returns whether the length of the mean gradient must be computed.
  bool clips() const { return !outer && optimizer->clips(); }
  /// Blocks until the replica may compute, and returns its turn, which ends on destruction. Lightweight models do not
  /// wait.
  Turn turn_of(const Replica& replica) const {
    return Turn(replica.model->info().lightweight ? nullptr : places.get());
  }
  /// Returns the number of a replica in the run.
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
