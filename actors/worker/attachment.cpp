#include "actors/messages/options_json.hpp"
#include "actors/worker/duties.hpp"

// How a worker takes part in a generation: its slabs.
namespace troupe {
namespace {

/// Everybody has published before anybody is told to map, so this is for a machine that is very busy.
constexpr std::chrono::seconds kMapTimeout{20};

SlabLayout layout_of(const WorkerState& worker, const MakeSlabs& request) {
  const Topology& topology = worker.plan.topology;
  SlabLayout layout;
  layout.run = request.run;
  layout.generation = request.generation;
  layout.size = worker.replicas.front()->model->info().size;
  layout.vectors = 1 + worker.optimizer->state_vectors();
  layout.buffers = request.buffers;
  layout.num_shards = topology.num_shards;
  layout.shards = topology.shards_of_node(topology.node_of(static_cast<int>(worker.lanes().begin)));
  layout.mean_gradient = worker.plan.driver_reduces;
  return layout;
}

/// Only one replica's thread is at work.
void make_gradients(WorkerState& worker, std::uint64_t made_for) {
  for (const auto& replica : worker.replicas) replica->num_computed = 0;
  worker.gradients.reset();
  const Range shards = worker.plan.topology.shards_of_lanes(worker.lanes());
  worker.gradients = std::make_unique<OwnGradients>(*worker.store, worker.layout, shards, made_for);
}

}  // namespace

void work(WorkerState& worker, Replica& replica, const MakeSlabs& request) {
  worker.exchange.reset();
  worker.slabs.reset();
  worker.optimizer = std::make_unique<Optimizer>(optimizer_from_json(request.optimizer));
  worker.groups = group_runs(worker.optimizer->groups(), *replica.model);
  worker.plan = make_plan(worker.plan_request, worker.replicas.front()->model->info().size);
  worker.layout = layout_of(worker, request);
  const Range lanes = worker.lanes();
  if (worker.optimizer->clips())
    worker.squares = {worker.plan.slice_of_lanes(lanes), replica.model->info().learned_size};
  if (!worker.gradients || worker.gradients->made_for() != request.gradients) make_gradients(worker, request.gradients);
  worker.slabs = std::make_unique<WorkerSlabs>(*worker.store, worker.layout, *worker.gradients,
                                               worker.plan.slice_of_lanes(lanes), !worker.plan.idle(lanes));
}

void work(WorkerState& worker, Replica& /*replica*/, const MapSlabs& request) {
  worker.slabs->map_others(worker.plan.topology.by_shard(request.gradients), kMapTimeout);
  if (worker.node) worker.exchange = worker.node->exchange();
}

}  // namespace troupe
