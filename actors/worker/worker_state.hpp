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

/// What a worker's handlers work on.
struct WorkerState {
  int index = 0;
  std::shared_ptr<StoreClient> store;
  CreateModel creator;              ///< for workers of the driver's process; others look theirs up by name
  std::shared_ptr<NodeShare> node;  ///< null where there are no nodes

  // Since the replicas were built.
  PlanRequest plan_request;
  int first_lane = 0;
  bool backs_up = false;
  std::uint64_t seed = 0;
  std::unique_ptr<Places> places;  ///< of replicas that compute at a time
  int threads_a_replica = 1;       ///< that may work at a time, beside those of other replicas of this machine

  // Of the generation.
  Plan plan;
  SlabLayout layout;
  std::unique_ptr<OwnGradients> gradients;         ///< of this generation or one before
  std::unique_ptr<OwnGradients> backup_gradients;  ///< as well, where it backs up
  std::unique_ptr<WorkerSlabs> slabs;
  std::shared_ptr<NodeExchange> exchange;           ///< with other nodes, if any
  std::shared_ptr<ServerExchange> server_exchange;  ///< instead, where they have parameter servers
  std::unique_ptr<UpdateRules> optimizer;
  std::unique_ptr<UpdateRules> outer;  ///< where shards make steps of their own by `optimizer`: the rule of their mean
  GroupRuns groups;                    ///< of the flat vector, for the optimizer
  GroupRuns outer_groups;              ///< which makes no difference between tensors
  PageSquares squares;                 ///< of the mean gradient in the worker's slice, where it is clipped
  PageSquares squares_before;          ///< in that of the worker before

  // Of the step.
  Stopwatch computing;
  Stopwatch computing_as_backup;
  /// Of what belongs to a step: what is computed as a backup for an earlier one is not awaited any more.
  std::atomic<std::uint64_t> newest_round{0};

  std::vector<std::int32_t> reduced_slabs;  ///< of L-BFGS: those of the gradient that was reduced last, by portion

  // Of the last push and fetch, to and from other nodes.
  std::int64_t bytes_delivered = 0;
  std::int64_t bytes_taken = 0;

  std::shared_ptr<const nlohmann::json> arguments;  ///< of the function that replicas run

  std::vector<std::unique_ptr<Replica>> replicas;  ///< the last member: their threads use the others

  /// By which slices are applied.
  const UpdateRules& applied() const { return outer ? *outer : *optimizer; }
  /// Whether the length of the mean gradient has to be known.
  bool clips() const { return !outer && optimizer->clips(); }
  /// Sleeps until the replica may compute. Lightweight models may at once.
  Turn turn_of(const Replica& replica) const {
    return Turn(replica.model->info().lightweight ? nullptr : places.get());
  }
  /// Number of a replica among those of the run.
  int lane_of(const Replica& replica) const { return first_lane + replica.context.replica; }
  /// Among the workers that take part.
  int rank() const { return first_lane / static_cast<int>(replicas.size()); }
  /// Of the worker before it.
  Range lanes_before() const { return plan.topology.lanes_before(lanes()); }
  Range lanes() const {
    const auto first = static_cast<std::size_t>(first_lane);
    return {first, first + replicas.size()};
  }
};

}  // namespace troupe
