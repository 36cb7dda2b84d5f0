#include "actors/worker.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <mutex>

#include "actors/options_json.hpp"
#include "models/registry.hpp"
#include "runtime/clock.hpp"

namespace troupe {
namespace {

/// Everybody has published before anybody is told to map, so this is for a machine that is very busy.
constexpr std::chrono::seconds kMapTimeout{20};

/// No optimizer has more.
constexpr std::size_t kMaxStateVectors = 2;

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

}  // namespace

Worker::Worker(int index, std::unique_ptr<StoreClient> store, CreateModel creator)
    : index_(index), store_(std::move(store)), creator_(std::move(creator)) {}

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

void Worker::build(const Build& request, Done<Built> done) {
  num_workers_ = request.num_workers;
  num_shards_ = request.num_shards;
  seed_ = request.seed;
  const int num_replicas = request.num_workers * request.devices;
  replicas_.clear();
  for (int device = 0; device < request.devices; ++device) {
    auto replica = std::make_unique<Replica>();
    replica->context = {index_,
                        device,
                        shards_of(index_ * request.devices + device, num_replicas, request.num_shards),
                        request.num_shards,
                        request.seed,
                        request.config};
    replica->computed.resize(replica->context.shards.size());
    replica->evaluated.resize(replica->context.shards.size());
    replicas_.push_back(std::move(replica));
  }
  on_replicas(
      replicas_.size(), ErrorCode::model_failed,
      [this, request](Replica& replica) { create_replica(replica, request); },
      [this, request, done](Failure failure) { done(describe(request, std::move(failure))); });
}

void Worker::create_replica(Replica& replica, const Build& request) const {
  const CreateModel& create = request.model.empty() ? creator_ : find_model(request.model);
  replica.model = create(replica.context);
  if (!replica.model)
    throw Error(ErrorCode::model_failed,
                "the creator returned no model for device " + std::to_string(replica.context.device));
  Model& model = *replica.model;
  replica.description = {model.size(), model.fingerprint(), model.num_samples(),
                         model.steps_per_epoch(request.num_shards), model.tensors()};
  if (replica.description.size == 0 || total_size(replica.description.tensors) == 0)
    throw Error(ErrorCode::model_failed, "the model has no parameters");
  if (model.lightweight()) replica.queue.run_inline();
}

Built Worker::describe(const Build& request, Failure failure) {
  Built built;
  built.round = request.round;
  built.worker = index_;
  built.failure = std::move(failure);
  if (built.failure) return built;
  for (const auto& replica : replicas_) {
    built.sizes.push_back(replica->description.size);
    built.fingerprints.push_back(replica->description.fingerprint);
  }
  const ModelDescription& first = replicas_.front()->description;
  built.num_samples = first.num_samples;
  built.steps_per_epoch = first.steps_per_epoch;
  for (const TensorInfo& tensor : first.tensors) {
    built.tensor_names.push_back(tensor.name);
    built.tensor_shapes.push_back(tensor.shape);
  }
  layout_.size = first.size;
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
  if (request.share) return slabs_->map_others(kMapTimeout);
  slabs_.reset();
  optimizer_ = std::make_unique<Optimizer>(optimizer_from_json(request.optimizer));
  const Plan plan = make_plan(request.strategy, layout_.size, static_cast<std::size_t>(num_workers_));
  layout_.run = request.run;
  layout_.generation = request.generation;
  layout_.num_shards = num_shards_;
  layout_.state_vectors = optimizer_->state_vectors();
  layout_.mean_gradient = plan.driver_reduces;
  std::vector<int> shards;
  for (const auto& replica : replicas_)
    shards.insert(shards.end(), replica->context.shards.begin(), replica->context.shards.end());
  slabs_ = std::make_unique<WorkerSlabs>(*store_, layout_, shards, plan.slices[static_cast<std::size_t>(index_)]);
}

void Worker::compute(const Compute& request, Done<Computed> done) {
  on_replicas(
      replicas_.size(), ErrorCode::model_failed,
      [this, request](Replica& replica) { compute_replica(replica, request); },
      [this, request, done, watch = Stopwatch()](Failure failure) {
        Computed reply;
        reply.round = request.round;
        reply.worker = index_;
        reply.failure = std::move(failure);
        for (const auto& replica : replicas_)
          for (std::size_t i = 0; i < replica->computed.size(); ++i) {
            reply.shards.push_back(replica->context.shards[i]);
            reply.loss_bits.push_back(to_bits(replica->computed[i].loss_sum));
            reply.samples.push_back(replica->computed[i].samples);
          }
        reply.seconds_bits = to_bits(watch.seconds());
        done(std::move(reply));
      });
}

void Worker::compute_replica(Replica& replica, const Compute& request) const {
  const auto weights = slabs_->weights(request.buffer);
  for (std::size_t i = 0; i < replica.context.shards.size(); ++i) {
    const int shard = replica.context.shards[i];
    replica.computed[i] =
        replica.model->gradient({shard, num_shards_, request.step, seed_}, weights, slabs_->gradient(shard));
  }
}

void Worker::apply(const Apply& request, Done<Applied> done) {
  on_replicas(
      replicas_.size(), ErrorCode::store_failed, [this, request](Replica& replica) { apply_replica(replica, request); },
      [this, request, done](Failure failure) {
        Applied reply;
        reply.round = request.round;
        reply.worker = index_;
        reply.failure = std::move(failure);
        ReduceSeconds slowest;
        for (const auto& replica : replicas_) {
          slowest.reduce = std::max(slowest.reduce, replica->spent.reduce);
          slowest.apply = std::max(slowest.apply, replica->spent.apply);
        }
        reply.reduce_bits = to_bits(slowest.reduce);
        reply.apply_bits = to_bits(slowest.apply);
        done(std::move(reply));
      });
}

void Worker::apply_replica(Replica& replica, const Apply& request) const {
  const Range range = device_part(slabs_->slice(), static_cast<std::size_t>(replica.context.device), replicas_.size());
  replica.spent = {};
  if (range.empty()) return;
  const auto update = optimizer_->prepare(request.step, request.updates);
  const int next = 1 - request.buffer;
  const auto weights = slabs_->weights(request.buffer);
  const auto new_weights = slabs_->weights_slice(next, range);
  std::array<std::span<float>, kMaxStateVectors> old_states;
  std::array<std::span<float>, kMaxStateVectors> new_states;
  for (int vector = 0; vector < optimizer_->state_vectors(); ++vector) {
    old_states[static_cast<std::size_t>(vector)] = slabs_->state_slice(vector, request.buffer, range);
    new_states[static_cast<std::size_t>(vector)] = slabs_->state_slice(vector, next, range);
  }
  const auto apply_chunk = [&](std::size_t begin, std::span<const float> mean) {
    const std::size_t at = begin - range.begin;
    std::array<const float*, kMaxStateVectors> from{};
    std::array<float*, kMaxStateVectors> to{};
    for (std::size_t vector = 0; vector < from.size() && !old_states[vector].empty(); ++vector) {
      from[vector] = old_states[vector].data() + at;
      to[vector] = new_states[vector].data() + at;
    }
    optimizer_->update(update, mean.size(), mean.data(), weights.data() + begin, new_weights.data() + at, from.data(),
                       to.data());
  };
  const std::int64_t divisor = layout_.mean_gradient ? 1 : request.samples;
  replica.spent = reduce_and_apply(slabs_->sources(), divisor, range, apply_chunk);
}

}  // namespace troupe
