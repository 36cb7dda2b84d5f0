#include "actors/worker/worker.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <numeric>

#include "actors/messages/options_json.hpp"
#include "models/registry.hpp"
#include "runtime/processes/cores.hpp"

namespace troupe {
namespace {

/// Everybody has published before anybody is told to map, so this is for a machine that is very busy.
constexpr std::chrono::seconds kMapTimeout{20};

/// Counts replicas down and keeps the first failure.
struct Pending {
  explicit Pending(std::size_t count) : left(count) {}

  void fail(Failure what) {
    const std::lock_guard lock(mutex);
    if (!failure) failure = std::move(what);
  }

  std::atomic<std::size_t> left;
  std::mutex mutex;
  Failure failure;
};

std::vector<int> numbers_in(const Range& range) {
  std::vector<int> numbers(range.size());
  std::iota(numbers.begin(), numbers.end(), static_cast<int>(range.begin));
  return numbers;
}

/// Replicas beyond the cores that a worker can count on would fight for caches, each with all of its activations in
/// use.
int replicas_at_a_time(const Build& request, int worker) {
  if (!request.use_cpus) return request.devices;
  const auto& nodes = request.plan.topology.node_of_lane;
  const auto lane = static_cast<std::size_t>(worker) * static_cast<std::size_t>(request.devices);
  const auto here = std::count(nodes.begin(), nodes.end(), nodes.at(lane));
  return std::max(1, usable_cores() / (static_cast<int>(here) / request.devices));
}

}  // namespace

Worker::Worker(int index, std::unique_ptr<StoreClient> store, CreateModel creator, std::shared_ptr<NodeService> node)
    : index_(index), store_(std::move(store)), creator_(std::move(creator)), node_(std::move(node)) {}

void Worker::on_replicas(std::size_t count, ErrorCode otherwise, Work work, Finish finish) {
  auto pending = std::make_shared<Pending>(count);
  auto shared_work = std::make_shared<Work>(std::move(work));
  auto shared_finish = std::make_shared<Finish>(std::move(finish));
  for (std::size_t i = 0; i < count; ++i) {
    Replica& replica = *replicas_[i];
    replica.queue.run([self = shared_from_this(), &replica, pending, shared_work, shared_finish, otherwise] {
      try {
        (*shared_work)(replica);
      } catch (...) {
        pending->fail(Failure::from(std::current_exception(), otherwise));
      }
      if (--pending->left == 0) (*shared_finish)(pending->failure);
    });
  }
}

void Worker::make_replicas(const Build& request) {
  plan_request_ = request.plan;
  seed_ = request.seed;
  replicas_.clear();
  const int at_a_time = replicas_at_a_time(request, index_);
  turns_ = std::make_unique<Turns>(at_a_time);
  for (int device = 0; device < request.devices; ++device) {
    auto replica = std::make_unique<Replica>();
    replica->context = {index_,
                        device,
                        numbers_in(request.plan.topology.shards_of_lane(index_ * request.devices + device)),
                        request.plan.topology.num_shards,
                        request.seed,
                        static_cast<Precision>(request.precision),
                        request.config,
                        at_a_time};
    replica->computed.resize(replica->context.shards.size());
    replica->evaluated.resize(replica->context.shards.size());
    // On a node each worker's actor has a thread of its own already.
    if (node_ && request.devices == 1) replica->queue.run_inline();
    replicas_.push_back(std::move(replica));
  }
}

void Worker::build(const Build& request, Done<Built> done) {
  try {
    make_replicas(request);
  } catch (...) {
    replicas_.clear();
    return done(describe_replicas(request, Failure::from(std::current_exception(), ErrorCode::system)));
  }
  on_replicas(
      replicas_.size(), ErrorCode::model_failed,
      [this, request](Replica& replica) { create_replica(replica, request); },
      [this, request, done](Failure failure) { done(describe_replicas(request, std::move(failure))); });
}

void Worker::create_replica(Replica& replica, const Build& request) const {
  const CreateModel& create = request.model.empty() ? creator_ : find_model(request.model);
  replica.model = create(replica.context);
  if (!replica.model)
    throw Error(ErrorCode::model_failed,
                "the creator returned no model for device " + std::to_string(replica.context.device));
  replica.model->start(replica.context);
  replica.description = describe(*replica.model, request.plan.topology.num_shards);
  replica.lightweight = replica.model->lightweight();
  if (replica.lightweight) replica.queue.run_inline();
}

Built Worker::describe_replicas(const Build& request, Failure failure) {
  Built built;
  built.round = request.round;
  built.worker = index_;
  built.failure = std::move(failure);
  if (built.failure) return built;
  for (const auto& replica : replicas_) built.replicas.push_back(replica->description.traits);
  const ModelDescription& first = replicas_.front()->description;
  built.num_samples = first.num_samples;
  built.steps_per_epoch = first.steps_per_epoch;
  for (const TensorInfo& tensor : first.tensors) {
    built.tensor_names.push_back(tensor.name);
    built.tensor_shapes.push_back(tensor.shape);
  }
  layout_.size = first.traits.size;
  return built;
}

void Worker::attach(const Attach& request, Done<TaskDone> done) {
  on_replicas(
      1, ErrorCode::store_failed, [this, request](Replica&) { make_slabs(request); },
      [this, request, done](Failure failure) {
        TaskDone reply;
        reply.round = request.round;
        reply.worker = index_;
        reply.failure = std::move(failure);
        done(std::move(reply));
      });
}

void Worker::make_slabs(const Attach& request) {
  if (request.share) {
    slabs_->map_others(kMapTimeout);
    if (node_) exchange_ = node_->exchange();
    return;
  }
  exchange_.reset();
  slabs_.reset();
  optimizer_ = std::make_unique<Optimizer>(optimizer_from_json(request.optimizer));
  plan_ = make_plan(plan_request_, layout_.size);
  layout_.run = request.run;
  layout_.generation = request.generation;
  layout_.state_vectors = optimizer_->state_vectors();
  layout_.mean_gradient = plan_.driver_reduces;
  const std::size_t first_lane = static_cast<std::size_t>(index_) * replicas_.size();
  const Range lanes{first_lane, first_lane + replicas_.size()};
  set_local_shards(layout_, plan_.topology, plan_.topology.node_of_lane.at(first_lane));
  std::vector<int> shards;
  for (const auto& replica : replicas_)
    shards.insert(shards.end(), replica->context.shards.begin(), replica->context.shards.end());
  slabs_ = std::make_unique<WorkerSlabs>(*store_, layout_, shards, plan_.slice_of_lanes(lanes), !plan_.idle(lanes));
}

int Worker::lane_of(const Replica& replica) const {
  return index_ * static_cast<int>(replicas_.size()) + replica.context.device;
}

}  // namespace troupe
