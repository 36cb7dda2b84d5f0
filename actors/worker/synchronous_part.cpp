#include <algorithm>
#include <exception>
#include <optional>

#include "actors/messages/patience.hpp"
#include "actors/worker/duties.hpp"
#include "actors/worker/non_finite.hpp"
#include "actors/worker/range_update.hpp"
#include "collectives/plan/page_tree.hpp"

// A worker's part in a step of the synchronous algorithm: gradients of its shards, then new weights of its slice.
namespace troupe {
namespace {

NodeExchange::Work exchange_work(const WorkerState& worker, const Replica& replica, std::uint64_t computed,
                                 const Deadline& driver) {
  NodeExchange::Work work;
  work.lane = worker.lane_of(replica);
  work.gradients = &worker.slabs->sources();
  work.ticket = computed;
  work.deadline = driver.earlier();
  return work;
}

bool is_idle(const WorkerState& worker, const Replica& replica) {
  const int lane = worker.lane_of(replica);
  return worker.exchange ? worker.exchange->idle(lane) : worker.plan.slice_of(lane).empty();
}

/// Where `ReduceMean` leaves the mean of a replica's slice: in the gradient of its first shard. Nobody else reads this
/// slice of it, and an attempt that comes after computes it anew.
std::span<float> kept_mean(const WorkerState& worker, const Replica& replica) {
  return worker.slabs->gradient(replica.context.shards.at(0));
}

/// On a machine that needs no exchange.
ReduceSeconds apply_here(const WorkerState& worker, const Replica& replica, std::int64_t samples, const Range& range,
                         const ApplyChunk& apply) {
  if (worker.layout.mean_gradient) return reduce_and_apply(worker.slabs->sources(), 1, range, apply);
  if (worker.optimizer->clips()) return reduce_and_apply({kept_mean(worker, replica)}, 1, range, apply);
  return reduce_and_apply(worker.slabs->sources(), samples, range, apply);
}

/// Through the exchange with other nodes.
ExchangeReport apply_among_nodes(const WorkerState& worker, const Replica& replica, const Apply& request,
                                 const ApplyChunk& apply) {
  NodeExchange::Work work = exchange_work(worker, replica, request.computed, patience_of(request));
  work.samples = request.samples;
  work.buffer = request.to;
  if (worker.optimizer->clips()) return worker.exchange->share(work, kept_mean(worker, replica), apply);
  return worker.exchange->run(work, apply);
}

}  // namespace

void prepare(WorkerState& worker, const Compute& request) {
  worker.computing = Stopwatch();
  worker.patience = patience_of(request);
}

void work(WorkerState& worker, Replica& replica, const Compute& request) {
  // The turn is taken inside the task, in the replica's queue: what is asked later, such as a fence, still comes after
  // it. A replica that hangs keeps its turn, and who waits for it is given up together with it.
  std::optional<Turns::Turn> turn;
  if (!replica.model->info().lightweight) turn.emplace(*worker.turns);
  const auto weights = worker.slabs->weights(request.buffer);
  if (replica.call != request.call || replica.step != request.step) replica.num_computed = 0;
  replica.call = request.call;
  replica.step = request.step;
  for (std::size_t& i = replica.num_computed; i < replica.context.shards.size(); ++i) {
    const int shard = replica.context.shards[i];
    replica.computed[i] = replica.model->gradient({shard, worker.layout.num_shards, request.step, worker.seed}, weights,
                                                  worker.slabs->gradient(shard));
  }
}

void answer(WorkerState& worker, const Compute& /*request*/, Computed& computed) {
  for (const auto& replica : worker.replicas)
    for (std::size_t i = 0; i < replica->computed.size(); ++i) {
      computed.shards.push_back(replica->context.shards[i]);
      computed.loss_bits.push_back(to_bits(replica->computed[i].loss_sum));
      computed.samples.push_back(replica->computed[i].samples);
    }
  computed.seconds_bits = to_bits(worker.computing.seconds());
}

/// What other nodes need of these gradients leaves while the driver still waits for other workers.
void follow_up(WorkerState& worker, const Compute& request) {
  if (worker.exchange)
    worker.exchange->start(exchange_work(worker, *worker.replicas.front(), request.round, worker.patience));
}

void work(WorkerState& worker, Replica& replica, const ReduceMean& request) {
  if (!worker.optimizer->clips()) throw Error(ErrorCode::protocol, "nothing is clipped in this run");
  replica.spent = {};
  if (is_idle(worker, replica)) return;
  replica.num_computed = 0;
  const std::span<float> kept = kept_mean(worker, replica);
  const ApplyChunk keep = [&](std::size_t begin, std::span<const float> mean) {
    std::copy(mean.begin(), mean.end(), kept.begin() + static_cast<std::ptrdiff_t>(begin));
    worker.squares.note(begin, mean);
  };
  if (worker.exchange) {
    NodeExchange::Work work = exchange_work(worker, replica, request.computed, patience_of(request));
    work.samples = request.samples;
    replica.spent = worker.exchange->reduce(work, keep);
  } else {
    reduce_and_apply(worker.slabs->sources(), request.samples, worker.plan.slice_of(worker.lane_of(replica)), keep);
  }
}

void answer(WorkerState& worker, const ReduceMean& /*request*/, MeanReduced& reduced) {
  for (const double sum : subtree_sums(worker.layout.size, worker.slabs->slice(), worker.squares.pages()))
    reduced.square_bits.push_back(to_bits(sum));
  for (const auto& replica : worker.replicas) reduced.bytes_sent += replica->spent.bytes_sent;
}

void work(WorkerState& worker, Replica& replica, const Apply& request) {
  const Range& range = worker.plan.slice_of(worker.lane_of(replica));
  replica.spent = {};
  replica.finite = true;
  if (is_idle(worker, replica)) return;
  // Whatever fails, the exchange goes on to its end: the driver commits nothing, and no other node has to wait in vain.
  std::exception_ptr failure;
  const auto attempt = [&failure](const auto& part) {
    if (failure) return;
    try {
      part();
    } catch (...) {
      failure = std::current_exception();
    }
  };
  std::optional<RangeUpdate> update;
  if (!range.empty()) attempt([&] { update.emplace(worker, replica, request, range); });
  const ApplyChunk apply = [&](std::size_t begin, std::span<const float> mean) {
    attempt([&] { (*update)(begin, mean); });
  };
  if (worker.exchange) {
    replica.spent = apply_among_nodes(worker, replica, request, apply);
  } else {
    const ReduceSeconds spent = apply_here(worker, replica, request.samples, range, apply);
    replica.spent = {.reduce_seconds = spent.reduce, .apply_seconds = spent.apply};
  }
  if (failure) std::rethrow_exception(failure);
  replica.finite = !update || update->finite();
}

void answer(WorkerState& worker, const Apply& /*request*/, Applied& applied) {
  double reduce = 0;
  double apply = 0;
  for (const auto& replica : worker.replicas) {
    const ExchangeReport& spent = replica->spent;
    reduce = std::max(reduce, spent.reduce_seconds + spent.wait_seconds);
    apply = std::max(apply, spent.apply_seconds);
    applied.bytes_sent += spent.bytes_sent;
    applied.finite = applied.finite && replica->finite;
  }
  applied.reduce_bits = to_bits(reduce);
  applied.apply_bits = to_bits(apply);
}

void work(WorkerState& worker, Replica& replica, const FindNonFinite& request) {
  const Range& slice = worker.slabs->slice();
  std::vector<std::span<const float>> vectors;
  vectors.reserve(static_cast<std::size_t>(worker.layout.vectors));
  for (int vector = 0; vector < worker.layout.vectors; ++vector)
    vectors.emplace_back(worker.slabs->slice_of(vector, request.buffer, slice));
  replica.non_finite = first_non_finite(*replica.model, slice.begin, vectors);
}

void answer(WorkerState& worker, const FindNonFinite& /*request*/, Found& found) {
  found.non_finite = worker.replicas.front()->non_finite;
}

}  // namespace troupe
