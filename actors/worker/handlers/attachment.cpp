#include "actors/messages/options_json.hpp"
#include "actors/worker/handlers/handlers.hpp"
#include "runtime/processes/page_lock.hpp"

// Handlers that create and map a worker's slabs when a generation begins.
namespace troupe {
namespace {

/// The maximum time to wait for the slabs of other members. All members publish their slabs before any member maps
/// them. Therefore this timeout can only pass on a very busy machine.
constexpr std::chrono::seconds kAttachTimeout{20};

SlabLayout layout_of(const WorkerState& worker, const MakeSlabs& request) {
  const Topology& topology = worker.plan.topology;
  SlabLayout layout{request.state};
  layout.run = request.run;
  layout.generation = request.generation;
  layout.size = worker.replicas.front()->model->info().size;
  layout.buffers = request.buffers;
  layout.num_shards = topology.num_shards;
  layout.shards = topology.shards_of_node(topology.node_of(static_cast<int>(worker.lanes().begin)));
  layout.in_part = worker.node != nullptr;
  if (layout.in_part) layout.own = worker.plan.slice_of_node(topology.node_of(static_cast<int>(worker.lanes().begin)));
  layout.mean_gradient = worker.plan.driver_reduces;
  layout.backups = worker.backs_up;
  layout.devices_copy = worker.replicas.front()->context.device != Device::cpu && locks_mappings();
  return layout;
}

/// Creates the slabs for the worker's gradients, and discards the results of earlier gradients. Must be called while
/// only one replica's thread is working.
/// @param made_for the number of the generation for which the slabs are created
void make_gradients(WorkerState& worker, std::uint64_t made_for) {
  for (const auto& replica : worker.replicas) {
    replica->own.forget();
    replica->backup.forget();
  }
  worker.gradients.reset();
  worker.backup_gradients.reset();
  const auto make = [&](GradientOf whose, const Range& lanes) {
    return std::make_unique<OwnGradients>(*worker.store, worker.layout, whose,
                                          worker.plan.topology.shards_of_lanes(lanes), made_for);
  };
  if (worker.backs_up) worker.backup_gradients = make(GradientOf::backup, worker.lanes_before());
  worker.gradients = make(GradientOf::worker, worker.lanes());
}

class MakeSlabsHandler final : public FirstReplicaHandler<MakeSlabs> {
 public:
  void work(WorkerState& worker, Replica& replica, const MakeSlabs& request) const override {
    worker.exchange.reset();
    worker.server_exchange.reset();
    worker.slabs.reset();
    worker.optimizer = std::make_unique<UpdateRules>(optimizer_from_json(request.optimizer));
    worker.outer = request.outer.empty()
                       ? nullptr
                       : std::make_unique<UpdateRules>(outer_optimizer(optimizer_from_json(request.outer)));
    worker.groups = group_runs(worker.optimizer->groups(), *replica.model);
    worker.outer_groups = as_one_group(worker.groups);
    request.state.check();
    worker.plan = make_plan(plan_for(worker.plan_request, request.state), worker.replicas.front()->model->info().size);
    worker.layout = layout_of(worker, request);
    if (worker.node)
      worker.node->check_alike(worker.layout, plan_for(worker.plan_request, request.state),
                               replica.model->info().learned_size);
    const Range lanes = worker.lanes();
    if (worker.clips() || worker.outer)
      worker.squares = {worker.plan.slice_of_lanes(lanes), replica.model->info().learned_size};
    if (worker.clips() && worker.backs_up)
      worker.squares_before = {worker.plan.slice_of_lanes(worker.lanes_before()), replica.model->info().learned_size};
    const bool none = worker.layout.deals();
    if (none)
      worker.gradients.reset();
    else if (!worker.gradients || worker.gradients->made_for() != request.gradients)
      make_gradients(worker, request.gradients);
    worker.slabs = std::make_unique<WorkerSlabs>(
        *worker.store, worker.layout,
        std::vector<const OwnGradients*>{worker.gradients.get(), worker.backup_gradients.get()},
        worker.plan.slice_of_lanes(lanes), !worker.plan.idle(lanes),
        worker.layout.per_shard > 0 ? worker.plan.topology.shards_of_lanes(lanes) : Range{});
  }
};

class MapSlabsHandler final : public FirstReplicaHandler<MapSlabs> {
 public:
  void work(WorkerState& worker, Replica& /*replica*/, const MapSlabs& request) const override {
    worker.slabs->map_others(gradients_made_for(worker.plan.topology, request.gradients, worker.lanes().size()),
                             kAttachTimeout);
    if (request.served) worker.slabs->map_served(worker.rank(), kAttachTimeout);
    if (worker.node && request.served)
      worker.server_exchange = worker.node->server_exchange();
    else if (worker.node)
      worker.exchange = worker.node->exchange();
  }
};

}  // namespace

const Handler<MakeSlabs>& handler_of(const MakeSlabs* /*kind*/) { return the<MakeSlabsHandler>(); }
const Handler<MapSlabs>& handler_of(const MapSlabs* /*kind*/) { return the<MapSlabsHandler>(); }

}  // namespace troupe
