#include <algorithm>
#include <numeric>
#include <utility>

#include "actors/messages/options_json.hpp"
#include "actors/worker/handlers/handlers.hpp"
#include "models/converts_parts.hpp"
#include "models/data/data_memory.hpp"
#include "models/data/shared/shared_memory.hpp"
#include "models/optimizers/groups.hpp"
#include "models/registry.hpp"
#include "runtime/processes/cores.hpp"

// Handlers that create and destroy a worker's replicas.
namespace troupe {
namespace {

std::vector<int> numbers_in(const Range& range) {
  std::vector<int> numbers(range.size());
  std::iota(numbers.begin(), numbers.end(), static_cast<int>(range.begin));
  return numbers;
}

/// Returns the shards whose samples a node may need. If shards are divided into portions, the last of these shards may
/// be one of which the node computes only some portions.
std::vector<int> shards_touched(const Topology& topology, int node) {
  const Range lanes = topology.lanes_of_node(node);
  Range shards = topology.shards_of_lanes(lanes);
  if (lanes.end * static_cast<std::size_t>(topology.num_shards) % topology.node_of_lane.size() != 0) ++shards.end;
  return numbers_in(shards);
}

/// Returns the number of replicas of the run on the same node as the worker (on one machine: all replicas).
int replicas_here(const Build& request) {
  const auto& nodes = request.plan.topology.node_of_lane;
  return static_cast<int>(
      std::count(nodes.begin(), nodes.end(), nodes.at(static_cast<std::size_t>(request.first_lane))));
}

/// Returns the number of a worker's replicas that may compute at the same time, so that not more replicas than cores
/// compute. More replicas would compete for the caches, because each replica needs its activations in the cache.
int replicas_at_a_time(const Build& request) {
  if (!request.use_cpus) return request.devices;
  return std::max(1, usable_cores() / std::max(1, replicas_here(request) / request.devices));
}

/// Checks that the worker's lanes exist in the run, and that workers can be backups if this is requested. A driver that
/// follows the protocol never fails this check.
void check(const WorkerState& worker, const Build& request) {
  request.plan.topology.check();
  const std::int64_t end = std::int64_t{request.first_lane} + request.devices;
  if (request.devices < 1 || request.first_lane < 0 || end > request.plan.topology.num_lanes())
    throw Error(ErrorCode::protocol, "the worker's replicas are out of the run's range");
  const bool whole =
      request.first_lane % request.devices == 0 && request.plan.topology.num_lanes() % request.devices == 0;
  if (request.backs_up && (worker.node || !whole))
    throw Error(ErrorCode::protocol, "these workers cannot back each other up");
}

/// The type of ReplicaContext::keeps, which determines the frozen tensors.
using Keeps = decltype(ReplicaContext::keeps);

Keeps keeps_of(const Build& request) {
  return request.optimizer.empty() ? Keeps() : frozen_tensors(optimizer_from_json(request.optimizer).groups);
}

/// Returns a new replica whose model is not created yet.
/// @param at_a_time the number of replicas that may compute at the same time
std::unique_ptr<Replica> make_replica(const WorkerState& worker, const Build& request, int device, int at_a_time,
                                      const Keeps& keeps) {
  const Topology& topology = request.plan.topology;
  auto replica = std::make_unique<Replica>();
  const int lane = request.first_lane + device;
  replica->own.shards = numbers_in(topology.shards_of_lane(lane));
  std::vector<int> shards = replica->own.shards;
  if (request.backs_up) {
    const int before = (lane - request.devices + topology.num_lanes()) % topology.num_lanes();
    replica->backup.shards = numbers_in(topology.shards_of_lane(before));
    shards.insert(shards.end(), replica->backup.shards.begin(), replica->backup.shards.end());
  }
  if (request.all_shards)
    for (const int shard : shards_touched(topology, topology.node_of(lane)))
      if (std::ranges::count(shards, shard) == 0) shards.push_back(shard);
  replica->context = {.worker = worker.index,
                      .replica = device,
                      .shards = std::move(shards),
                      .num_shards = topology.num_shards,
                      .seed = request.seed,
                      .precision = static_cast<Precision>(request.precision),
                      .precision_check = request.precision_check,
                      .config = request.config,
                      .device = request.use_cpus ? Device::cpu : Device::cuda,
                      .device_number = request.device_number,
                      .tf32 = request.tf32,
                      .place = lane - static_cast<int>(topology.lanes_of_node(topology.node_of(lane)).begin),
                      .replicas_at_a_time = at_a_time,
                      .threads = worker.threads_a_replica,
                      .frozen = request.frozen,
                      .keeps = keeps};
  // On a node, each worker's actor has its own thread. Therefore, if a worker has a single replica, the replica can
  // compute on this thread. However, a replica that must receive `Abandon` while it computes needs a thread of its own.
  if (worker.node && request.devices == 1 && !request.hears) replica->queue.run_inline();
  return replica;
}

class BuildHandler final : public Handler<Build> {
 public:
  void prepare(WorkerState& worker, const Build& request) const override {
    check(worker, request);
    worker.replicas.clear();  // this waits until replicas have finished that still compute for a failed round
    worker.plan_request = request.plan;
    worker.first_lane = request.first_lane;
    worker.backs_up = request.backs_up;
    worker.seed = request.seed;
    worker.exchange.reset();
    worker.slabs.reset();
    worker.gradients.reset();
    worker.backup_gradients.reset();
    worker.store->trim();  // free unused slabs, because the new shards need other slabs
    const int here = replicas_here(request);
    const bool has_process = shared_memory() != nullptr;  // the worker has its own process
    limit_data_memory(request.data_memory, here, has_process ? here / request.devices : 1);
    const int at_a_time = replicas_at_a_time(request);
    worker.places = std::make_unique<Places>(at_a_time);
    const Keeps keeps = keeps_of(request);
    worker.threads_a_replica = std::max(1, usable_cores() / here);
    try {
      for (int device = 0; device < request.devices; ++device)
        worker.replicas.push_back(make_replica(worker, request, device, at_a_time, keeps));
    } catch (...) {
      worker.replicas.clear();
      throw;
    }
  }
  void work(WorkerState& worker, Replica& replica, const Build& request) const override {
    const CreateModel& create = request.model.empty() ? worker.creator : find_model(request.model);
    replica.model = create(replica.context);
    if (!replica.model)
      throw Error(ErrorCode::model_failed,
                  "the creator returned no model for device " + std::to_string(replica.context.replica));
    check_info(replica.model->start(replica.context));
    if (replica.model->info().lightweight) replica.queue.run_inline();
  }
  void answer(WorkerState& worker, const Build& /*request*/, Built& built) const override {
    for (const auto& replica : worker.replicas) {
      built.replicas.push_back(traits_of(replica->model->info()));
      built.replicas.back().converts_parts = dynamic_cast<const ConvertsParts*>(replica->model.get()) != nullptr;
    }
    const ModelInfo& first = worker.replicas.front()->model->info();
    for (const TensorInfo& tensor : first.tensors) {
      built.tensor_names.push_back(tensor.name);
      built.tensor_shapes.push_back(tensor.shape);
    }
    built.network = first.network;
  }
};

/// Makes replicas stop work for earlier rounds whose result is no longer needed. The reply is sent when all replicas
/// have finished.
class FenceHandler final : public Handler<Fence> {
 public:
  void prepare(WorkerState& worker, const Fence& request) const override { worker.newest_round = request.round; }
  void work(WorkerState& /*worker*/, Replica& /*replica*/, const Fence& /*request*/) const override {}
};

class StopHandler final : public Handler<Stop> {
 public:
  void prepare(WorkerState& worker, const Stop& request) const override { worker.newest_round = request.round; }
  void work(WorkerState& /*worker*/, Replica& replica, const Stop& /*request*/) const override {
    replica.model.reset();
  }
};

}  // namespace

const Handler<Build>& handler_of(const Build* /*kind*/) { return the<BuildHandler>(); }
const Handler<Fence>& handler_of(const Fence* /*kind*/) { return the<FenceHandler>(); }
const Handler<Stop>& handler_of(const Stop* /*kind*/) { return the<StopHandler>(); }

}  // namespace troupe
