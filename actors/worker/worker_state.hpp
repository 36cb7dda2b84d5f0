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
  std::unique_ptr<Places> places;  ///< limits the replicas that compute at the same time
  int threads_a_replica = 1;  ///< threads that a replica may use while the other replicas of this machine use theirs

  // Set when a generation begins.
  Plan plan;
  SlabLayout layout;
  std::unique_ptr<OwnGradients> gradients;         ///< made for this generation or an earlier one
  std::unique_ptr<OwnGradients> backup_gradients;  ///< made for the same generation; only if the worker is a backup
  std::unique_ptr<WorkerSlabs> slabs;
  std::shared_ptr<NodeExchange> exchange;           ///< with other nodes; null on one machine
  std::shared_ptr<ServerExchange> server_exchange;  ///< used instead of `exchange` if nodes have parameter servers
  std::unique_ptr<UpdateRules> optimizer;
  /// The update rule for the mean of the copies, if shards take local steps with `optimizer`.
  std::unique_ptr<UpdateRules> outer;
  GroupRuns groups;        ///< of the flat vector, for `optimizer`
  GroupRuns outer_groups;  ///< of the flat vector, for `outer`, which treats all tensors alike
  PageSquares squares;     ///< over the worker's slice: of the clipped mean gradient, or of a mean of copies' distance
  PageSquares squares_before;  ///< over the slice of the worker before, for clipping

  // Set by the requests of a step.
  Stopwatch computing;
  Stopwatch computing_as_backup;
  /// The newest round. A backup that still computes for an earlier round stops, because its result is no longer needed.
  std::atomic<std::uint64_t> newest_round{0};

  std::vector<std::int32_t> reduced_slabs;  ///< L-BFGS: by portion, the slab of the gradient that was reduced last

  // Bytes of the last push to other nodes, and of the last fetch.
  std::int64_t bytes_delivered = 0;
  std::int64_t bytes_taken = 0;

  std::shared_ptr<const nlohmann::json> arguments;  ///< of the function that the replicas run

  std::vector<std::unique_ptr<Replica>> replicas;  ///< the last member: their threads use the others

  /// The rule that updates slices.
  const UpdateRules& applied() const { return outer ? *outer : *optimizer; }
  /// Whether the length of the mean gradient must be computed.
  bool clips() const { return !outer && optimizer->clips(); }
  /// Blocks until the replica may compute. Lightweight models do not wait.
  Turn turn_of(const Replica& replica) const {
    return Turn(replica.model->info().lightweight ? nullptr : places.get());
  }
  /// The number of a replica in the run.
  int lane_of(const Replica& replica) const { return first_lane + replica.context.replica; }
  /// The worker's rank among the workers that take part.
  int rank() const { return first_lane / static_cast<int>(replicas.size()); }
  /// The lanes of the worker before this one.
  Range lanes_before() const { return plan.topology.lanes_before(lanes()); }
  Range lanes() const {
    const auto first = static_cast<std::size_t>(first_lane);
    return {first, first + replicas.size()};
  }
};

}  // namespace troupe
