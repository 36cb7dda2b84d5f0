#include <unistd.h>

#include <cstring>
#include <numeric>
#include <optional>
#include <utility>

#include "actors/worker/functions.hpp"
#include "actors/worker/non_finite.hpp"
#include "actors/worker/worker.hpp"

// What a worker does besides steps.
namespace troupe {
namespace {

/// The first `floats` floats of the driver's transfer object, for writing.
void write_transfer(StoreClient& store, const ObjectId& id, std::size_t floats,
                    const std::function<void(std::span<float>)>& fill) {
  const auto mapping = store.open(id, 0, floats * sizeof(float));
  fill(mapping->writable_floats());
  store.release(id);
}

void check_length(TaskDone& reply) {
  const std::uint64_t bytes = std::accumulate(reply.text_bytes.begin(), reply.text_bytes.end(), std::uint64_t{0});
  if (bytes <= kMostTextBytes) return;
  reply.failure.code = static_cast<std::int32_t>(ErrorCode::invalid_argument);
  reply.failure.message = "the function returned " + std::to_string(bytes) + " bytes on a worker, and " +
                          std::to_string(kMostTextBytes) + " can be returned";
}

}  // namespace

void Worker::task(const Task& request, const Done<TaskDone>& done) {
  if (request.kind == TaskKind::model_function || request.kind == TaskKind::worker_function)
    for (const auto& replica : replicas_) replica->text.clear();  // of a call that failed elsewhere
  switch (request.kind) {
    case TaskKind::initialize:
    case TaskKind::export_weights:
    case TaskKind::import_weights:
      return finish_task(request, 1, &Worker::transfer_weights, done);
    case TaskKind::find_non_finite:
      return finish_task(request, 1, &Worker::find_non_finite, done);
    case TaskKind::evaluate:
      return finish_task(request, replicas_.size(), &Worker::evaluate_replica, done);
    case TaskKind::model_function:
      return finish_task(request, request.first_replica_only ? 1 : replicas_.size(), &Worker::call_model, done);
    case TaskKind::worker_function:
      return finish_task(request, 1, &Worker::call_worker, done);
    case TaskKind::export_texts:
      return finish_task(request, 1, &Worker::export_texts, done);
    case TaskKind::stop:
      return finish_task(request, replicas_.size(), &Worker::stop_replica, done);
    case TaskKind::fence:
      return finish_task(request, replicas_.size(), &Worker::do_nothing, done);
  }
}

void Worker::finish_task(const Task& request, std::size_t count, TaskWork work, const Done<TaskDone>& done) {
  on_replicas(
      count, ErrorCode::model_failed, [this, request, work](Replica& replica) { (this->*work)(replica, request); },
      [this, request, count, done](Failure failure) {
        TaskDone reply;
        reply.round = request.round;
        reply.worker = index_;
        reply.failure = std::move(failure);
        for (std::size_t i = 0; i < count; ++i) collect(*replicas_[i], request, reply);
        check_length(reply);
        done(std::move(reply));
      });
}

void Worker::collect(const Replica& replica, const Task& request, TaskDone& reply) {
  if (request.kind == TaskKind::model_function || request.kind == TaskKind::worker_function)
    reply.text_bytes.push_back(replica.text.size());
  if (request.kind == TaskKind::find_non_finite) reply.found = replica.non_finite;
  if (request.kind != TaskKind::evaluate) return;
  for (std::size_t i = 0; i < replica.evaluated.size(); ++i) {
    reply.shards.push_back(replica.context.shards[i]);
    reply.loss_bits.push_back(to_bits(replica.evaluated[i].loss_sum));
    reply.correct.push_back(replica.evaluated[i].correct);
    reply.samples.push_back(replica.evaluated[i].samples);
  }
}

/// All replicas are between tasks: the driver asks for this after each has answered.
void Worker::export_texts(Replica& /*replica*/, const Task& request) {
  std::string texts;
  for (const auto& each : replicas_) texts += std::exchange(each->text, {});
  const std::size_t floats = (texts.size() + sizeof(float) - 1) / sizeof(float);
  write_transfer(*store_, transfer_id(layout_.run, request.transfer), floats,
                 [&](std::span<float> written) { std::memcpy(written.data(), texts.data(), texts.size()); });
}

void Worker::do_nothing(Replica& /*replica*/, const Task& /*request*/) {}

void Worker::stop_replica(Replica& replica, const Task& /*request*/) { replica.model.reset(); }

void Worker::transfer_weights(Replica& replica, const Task& request) {
  const Model& model = *replica.model;
  const ObjectId first = transfer_id(layout_.run, request.transfer);
  if (request.kind == TaskKind::initialize) {
    write_transfer(*store_, first, model.size(),
                   [&](std::span<float> flat) { replica.model->initialize(flat.first(model.size()), seed_); });
  } else if (request.kind == TaskKind::export_weights) {
    const auto weights = slabs_->weights(request.buffer);
    const std::size_t floats = total_size(model.tensors());
    write_transfer(*store_, first, floats,
                   [&](std::span<float> canonical) { model.to_canonical(weights, canonical.first(floats)); });
  } else {
    const auto canonical = store_->get(first, std::chrono::seconds(10));
    const std::size_t floats = total_size(model.tensors());
    write_transfer(*store_, transfer_id(layout_.run, request.transfer + 1), model.size(), [&](std::span<float> flat) {
      model.from_canonical(canonical->floats().first(floats), flat.first(model.size()));
    });
    store_->release(first);
  }
}

void Worker::find_non_finite(Replica& replica, const Task& request) {
  const int written = 1 - request.buffer;
  const Range& slice = slabs_->slice();
  std::vector<std::span<const float>> vectors{slabs_->weights_slice(written, slice)};
  for (int vector = 0; vector < layout_.state_vectors; ++vector)
    vectors.emplace_back(slabs_->state_slice(vector, written, slice));
  replica.non_finite = first_non_finite(*replica.model, slice.begin, vectors);
}

void Worker::evaluate_replica(Replica& replica, const Task& request) {
  std::optional<Turns::Turn> turn;
  if (!replica.lightweight) turn.emplace(*turns_);
  const auto weights = slabs_->weights(request.buffer);
  for (std::size_t i = 0; i < replica.context.shards.size(); ++i)
    replica.evaluated[i] =
        replica.model->evaluate({replica.context.shards[i], layout_.num_shards, request.step, seed_}, weights);
}

void Worker::call_model(Replica& replica, const Task& request) {
  replica.text = functions().of_models.find(request.name)(*replica.model, slabs_->weights(request.buffer));
}

void Worker::call_worker(Replica& replica, const Task& request) {
  WorkerView view{index_, static_cast<int>(::getpid()), {}};
  for (const auto& each : replicas_) view.models.push_back(each->model.get());
  replica.text = functions().of_workers.find(request.name)(view);
}

}  // namespace troupe
