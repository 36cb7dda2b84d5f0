#include <algorithm>
#include <array>
#include <optional>

#include "actors/worker/worker.hpp"
#include "models/optimizers/finite.hpp"
#include "runtime/clock.hpp"

// A worker's part of a step: gradients of its shards, new weights of its slice.
namespace troupe {
namespace {

/// Makes version v + 1 of a range of the flat vector from version v and the mean gradient, a chunk a call: the
/// optimizer that of the parameters, the model that of its statistics, which have no gradient. What a chunk became is
/// checked while it is in the cache.
class RangeUpdate {
 public:
  RangeUpdate(const Replica& replica, const WorkerSlabs& slabs, const Optimizer& optimizer, const Apply& request,
              const Range& range)
      : model_(*replica.model),
        learned_size_(replica.description.traits.learned_size),
        samples_(request.samples),
        optimizer_(optimizer),
        step_(optimizer.prepare(request.step, request.updates)),
        weights_(slabs.weights(request.buffer)),
        begin_(range.begin),
        new_weights_(slabs.weights_slice(1 - request.buffer, range)) {
    for (int vector = 0; vector < optimizer.state_vectors(); ++vector) {
      const auto v = static_cast<std::size_t>(vector);
      state_[v] = slabs.state_slice(vector, request.buffer, range);
      new_state_[v] = slabs.state_slice(vector, 1 - request.buffer, range);
    }
  }

  void operator()(std::size_t begin, std::span<const float> mean) {
    const std::size_t learned = begin < learned_size_ ? std::min(mean.size(), learned_size_ - begin) : 0;
    if (learned > 0) learn(begin, mean.first(learned));
    if (learned < mean.size()) update_statistics(begin + learned, mean.subspan(learned));
  }

  /// Whether all that was written is.
  bool finite() const { return finite_; }

 private:
  template <class T>
  using States = std::array<T, Optimizer::kMaxStateVectors>;

  void learn(std::size_t begin, std::span<const float> mean) {
    const std::size_t at = begin - begin_;
    States<const float*> from{};
    States<float*> to{};
    for (std::size_t vector = 0; vector < from.size() && !state_[vector].empty(); ++vector) {
      from[vector] = state_[vector].data() + at;
      to[vector] = new_state_[vector].data() + at;
    }
    const bool finite = optimizer_.update(step_, mean.size(), mean.data(), weights_.data() + begin,
                                          new_weights_.data() + at, from.data(), to.data());
    finite_ = finite_ && finite;
  }

  void update_statistics(std::size_t begin, std::span<const float> mean) {
    const auto updated = new_weights_.subspan(begin - begin_, mean.size());
    model_.update_statistics(begin, mean, samples_, weights_.subspan(begin, mean.size()), updated);
    finite_ = finite_ && all_finite(updated);
  }

  const Model& model_;
  std::size_t learned_size_;
  std::int64_t samples_;
  const Optimizer& optimizer_;
  UpdateStep step_;
  std::span<const float> weights_;  ///< all of them
  std::size_t begin_;               ///< of the range, which is what the next hold
  std::span<float> new_weights_;
  States<std::span<const float>> state_;
  States<std::span<float>> new_state_;
  bool finite_ = true;
};

template <class Request>
Deadline deadline_of(const Request& request) {
  return Deadline(std::chrono::milliseconds(request.timeout_ms));
}

}  // namespace

void Worker::compute(const Compute& request, Done<Computed> done) {
  on_replicas(
      replicas_.size(), ErrorCode::model_failed,
      [this, request](Replica& replica) { compute_replica(replica, request); },
      [this, request, done, watch = Stopwatch(), deadline = deadline_of(request)](Failure failure) {
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
        const bool computed = !reply.failure;
        done(std::move(reply));
        if (exchange_ && computed) exchange_->start(exchange_work(*replicas_.front(), request.round, deadline));
      });
}

void Worker::compute_replica(Replica& replica, const Compute& request) const {
  // The turn is taken inside the task, in the replica's queue: what is asked later, such as a fence, still comes after
  // it. A replica that hangs keeps its turn, and who waits for it is given up together with it.
  std::optional<Turns::Turn> turn;
  if (!replica.lightweight) turn.emplace(*turns_);
  const auto weights = slabs_->weights(request.buffer);
  for (std::size_t i = 0; i < replica.context.shards.size(); ++i) {
    const int shard = replica.context.shards[i];
    replica.computed[i] =
        replica.model->gradient({shard, layout_.num_shards, request.step, seed_}, weights, slabs_->gradient(shard));
  }
}

void Worker::apply(const Apply& request, Done<Applied> done) {
  on_replicas(
      replicas_.size(), ErrorCode::model_failed, [this, request](Replica& replica) { apply_replica(replica, request); },
      [this, request, done](Failure failure) {
        Applied reply;
        reply.round = request.round;
        reply.worker = index_;
        reply.failure = std::move(failure);
        ReduceSeconds slowest;
        for (const auto& replica : replicas_) {
          const ExchangeReport& spent = replica->spent;
          slowest.reduce = std::max(slowest.reduce, spent.reduce_seconds + spent.wait_seconds);
          slowest.apply = std::max(slowest.apply, spent.apply_seconds);
          reply.bytes_sent += spent.bytes_sent;
          reply.finite = reply.finite && replica->finite;
        }
        reply.reduce_bits = to_bits(slowest.reduce);
        reply.apply_bits = to_bits(slowest.apply);
        done(std::move(reply));
      });
}

void Worker::apply_replica(Replica& replica, const Apply& request) const {
  const int lane = lane_of(replica);
  const Range range = plan_.slices[static_cast<std::size_t>(lane)];
  replica.spent = {};
  replica.finite = true;
  if (exchange_ ? exchange_->idle(lane) : range.empty()) return;
  std::optional<RangeUpdate> update;
  if (!range.empty()) update.emplace(replica, *slabs_, *optimizer_, request, range);
  const ApplyChunk apply = [&update](std::size_t begin, std::span<const float> mean) { (*update)(begin, mean); };
  if (exchange_) {
    NodeExchange::Work work = exchange_work(replica, request.computed, deadline_of(request));
    work.samples = request.samples;
    work.buffer = 1 - request.buffer;
    replica.spent = exchange_->run(work, apply);
  } else {
    const std::int64_t divisor = layout_.mean_gradient ? 1 : request.samples;
    const ReduceSeconds spent = reduce_and_apply(slabs_->sources(), divisor, range, apply);
    replica.spent = {.reduce_seconds = spent.reduce, .apply_seconds = spent.apply};
  }
  // The exchange goes on to its end: the driver commits nothing, and no other node has to wait in vain.
  replica.finite = !update || update->finite();
}

NodeExchange::Work Worker::exchange_work(const Replica& replica, std::uint64_t computed, const Deadline& driver) const {
  NodeExchange::Work work;
  work.lane = lane_of(replica);
  work.gradients = &slabs_->sources();
  work.ticket = computed;
  // Before the driver loses its patience, so that whoever waits for a silent node can still name it.
  work.deadline = Deadline(driver.left() * 4 / 5);
  return work;
}

}  // namespace troupe
