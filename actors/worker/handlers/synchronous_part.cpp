#include <algorithm>
#include <atomic>
#include <exception>
#include <functional>
#include <optional>

#include "actors/messages/bounds.hpp"
#include "actors/worker/handlers/exchange_work.hpp"
#include "actors/worker/handlers/handlers.hpp"
#include "actors/worker/handlers/non_finite.hpp"
#include "actors/worker/handlers/range_update.hpp"
#include "collectives/exchange/range_parts.hpp"
#include "collectives/plan/page_tree.hpp"
#include "runtime/processes/piecework.hpp"

// Handlers for a step of synchronous SGD: they compute the gradients of the worker's shards, and then the new weights
// of the worker's slice.
namespace troupe {
namespace {

bool is_idle(const WorkerState& worker, const Replica& replica) {
  return worker.exchange && worker.exchange->idle(worker.lane_of(replica));
}

/// Returns whether the worker with the previous rank is left out of this step, so that this worker must also reduce and
/// apply that worker's slice.
bool stands_in(const WorkerState& worker, const std::vector<std::int32_t>& left_out) {
  return worker.backs_up && std::ranges::count(left_out, static_cast<std::int32_t>(worker.lanes_before().begin)) > 0;
}

/// Returns the slices that a replica reduces and applies, if all workers are on one machine.
std::vector<Range> slices_of(const WorkerState& worker, const Replica& replica,
                             const std::vector<std::int32_t>& left_out) {
  std::vector<Range> slices{worker.plan.slice_of(worker.lane_of(replica))};
  if (stands_in(worker, left_out))
    slices.push_back(worker.plan.slice_of(static_cast<int>(worker.lanes_before().begin) + replica.context.replica));
  std::erase_if(slices, [](const Range& slice) { return slice.empty(); });
  return slices;
}

/// Adds the gradients of all shards, and passes the mean of each chunk of `range` to `apply`. For the shards of a
/// worker that is left out, these are the gradients that its backup has computed.
ReduceSeconds reduce_shards(const WorkerState& worker, const std::vector<std::int32_t>& left_out, std::int64_t samples,
                            const Range& range, const ApplyChunk& apply) {
  const Gradients& gradients = worker.slabs->sources();
  if (left_out.empty()) return reduce_and_apply(gradients, samples, range, apply);
  std::vector<Range> shards;
  for (const std::int32_t lane : left_out) {
    const auto first = static_cast<std::size_t>(lane);
    shards.push_back(worker.plan.topology.shards_of_lanes({first, first + worker.replicas.size()}));
  }
  return reduce_and_apply(replaced(gradients, shards, worker.slabs->backups()), samples, range, apply);
}

/// Returns the memory in which `ReduceMean` stores the mean gradient of a replica's slices: the gradient slab of the
/// replica's first shard, which is overwritten. This is safe for two reasons. No other replica reads these slices of
/// this slab. A later attempt of the step computes the shard's gradient again, because `ReduceMean` forgets the result.
std::span<float> kept_mean(const WorkerState& worker, const Replica& replica) {
  return worker.gradients->gradient(static_cast<std::size_t>(replica.own.shards.at(0)));
}

ReduceSeconds apply_here(const WorkerState& worker, const Replica& replica, const Apply& request, const Range& range,
                         const ApplyChunk& apply) {
  if (worker.layout.mean_gradient) return reduce_and_apply(worker.slabs->sources(), 1, range, apply);
  if (worker.clips()) return reduce_and_apply({kept_mean(worker, replica)}, 1, range, apply);
  return reduce_shards(worker, request.left_out, request.samples, range, apply);
}

/// Runs `work` on several parts of `slice` at the same time, on several threads. Returns the times of the part that
/// took the longest.
ReduceSeconds in_parts(const WorkerState& worker, const Replica& replica, const Range& slice,
                       const std::function<ReduceSeconds(const Range& part)>& work) {
  const auto parts = parts_of(slice, replica.model->info().learned_size, worker.threads_a_replica);
  std::vector<ReduceSeconds> spent(parts.size());
  work_in_pieces(parts.size(), 1, [&](std::size_t part, std::size_t /*end*/) { spent[part] = work(parts[part]); });
  return std::ranges::max(spent, {}, [](const ReduceSeconds& each) { return each.reduce + each.apply; });
}

/// Reduces and applies a replica's slice, and exchanges partial sums and new weights with other nodes. If the update
/// fails, still completes the exchange, so that no other node waits until its deadline, and then throws. In this case,
/// the driver commits nothing.
void apply_among_nodes(WorkerState& worker, Replica& replica, const Apply& request) {
  std::exception_ptr failure;
  const auto attempt = [&failure](const auto& part) {
    if (failure) return;
    try {
      part();
    } catch (...) {
      failure = std::current_exception();
    }
  };
  const Range& range = worker.plan.slice_of(worker.lane_of(replica));
  std::optional<RangeUpdate> update;
  if (!range.empty()) attempt([&] { update.emplace(worker, replica, request, range); });
  const ApplyChunk apply = [&](std::size_t begin, std::span<const float> mean) {
    attempt([&] { (*update)(begin, mean); });
  };
  NodeExchange::Work work = exchange_work(worker, replica, request.computed, deadline_of(request));
  work.samples = request.samples;
  work.buffer = request.to;
  replica.spent = worker.clips() ? worker.exchange->share(work, kept_mean(worker, replica), apply)
                                 : worker.exchange->run(work, apply);
  if (failure) std::rethrow_exception(failure);
  replica.finite = !update || update->finite();
}

class ComputeHandler final : public Handler<Compute> {
 public:
  void prepare(WorkerState& worker, const Compute& request) const override {
    check_steps(request.step);
    if (request.as_backup && !worker.backs_up) throw Error(ErrorCode::protocol, "workers do not back each other up");
    (request.as_backup ? worker.computing_as_backup : worker.computing) = Stopwatch();
    if (!request.as_backup) worker.newest_round = request.round;
  }
  void work(WorkerState& worker, Replica& replica, const Compute& request) const override {
    // Wait for the turn here, in a task of the replica's queue. Therefore later requests, such as a fence, are handled
    // after this request. A replica that hangs keeps its turn, so other replicas of the worker may wait forever. This
    // is acceptable, because the driver then gives up the whole worker.
    const Turn turn = worker.turn_of(replica);
    const auto weights = worker.slabs->weights(request.buffer);
    const WeightsVersion version = WeightsVersion::begin(weights);
    const OwnGradients& gradients = request.as_backup ? *worker.backup_gradients : *worker.gradients;
    Portion& portion = request.as_backup ? replica.backup : replica.own;
    if (portion.call != request.call || portion.step != request.step) portion.forget();
    portion.call = request.call;
    portion.step = request.step;
    while (portion.computed.size() < portion.shards.size()) {
      if (request.as_backup && worker.newest_round > request.round)
        throw Error(ErrorCode::protocol, "this backup is no longer needed: the step continues without it");
      const int shard = portion.shards[portion.computed.size()];
      const ShardStep at{.shard = shard,
                         .num_shards = worker.layout.num_shards,
                         .step = request.step,
                         .seed = worker.seed,
                         .weights = version};
      const std::span<float> gradient = gradients.gradient(static_cast<std::size_t>(shard));
      portion.computed.push_back(replica.model->gradient(at, weights, gradient));
      clear_frozen(worker.groups, gradient);
    }
  }
  void answer(WorkerState& worker, const Compute& request, Computed& computed) const override {
    Passes passes;
    for (const auto& replica : worker.replicas) {
      const Portion& portion = request.as_backup ? replica->backup : replica->own;
      passes.add(portion.computed);
      for (std::size_t i = 0; i < portion.shards.size(); ++i) {
        computed.shards.push_back(portion.shards[i]);
        computed.loss_bits.push_back(to_bits(portion.computed[i].loss_sum));
        computed.samples.push_back(portion.computed[i].samples);
      }
    }
    computed.pass = passes.report(request.as_backup ? worker.computing_as_backup : worker.computing,
                                  worker.slabs->weights(request.buffer));
  }
  /// Starts to send the gradients to other nodes, while the driver still waits for other workers.
  void follow_up(WorkerState& worker, const Compute& request, const Deadline& deadline) const override {
    if (worker.exchange)
      worker.exchange->start(exchange_work(worker, *worker.replicas.front(), request.round, deadline));
  }
};

class ReduceMeanHandler final : public Handler<ReduceMean> {
 public:
  void prepare(WorkerState& worker, const ReduceMean& request) const override { worker.newest_round = request.round; }
  void work(WorkerState& worker, Replica& replica, const ReduceMean& request) const override {
    if (!worker.clips()) throw Error(ErrorCode::protocol, "this run does not clip gradients");
    replica.spent = {};
    if (is_idle(worker, replica)) return;
    replica.own.forget();
    const std::span<float> kept = kept_mean(worker, replica);
    const auto keep_in = [&kept](PageSquares& squares) {
      return [&kept, &squares](std::size_t begin, std::span<const float> mean) {
        std::copy(mean.begin(), mean.end(), kept.begin() + static_cast<std::ptrdiff_t>(begin));
        squares.note(begin, mean);
      };
    };
    if (worker.exchange) {
      NodeExchange::Work work = exchange_work(worker, replica, request.computed, deadline_of(request));
      work.samples = request.samples;
      replica.spent = worker.exchange->reduce(work, keep_in(worker.squares));
      return;
    }
    const int lane = worker.lane_of(replica);
    for (const Range& slice : slices_of(worker, replica, request.left_out)) {
      const bool own = slice == worker.plan.slice_of(lane);
      in_parts(worker, replica, slice, [&](const Range& part) {
        return reduce_shards(worker, request.left_out, request.samples, part,
                             keep_in(own ? worker.squares : worker.squares_before));
      });
    }
  }
  void answer(WorkerState& worker, const ReduceMean& request, MeanReduced& reduced) const override {
    const auto add = [&](const Range& lanes, const PageSquares& squares) {
      for (const double sum : subtree_sums(worker.layout.size, worker.plan.slice_of_lanes(lanes), squares.pages()))
        reduced.square_bits.push_back(to_bits(sum));
    };
    add(worker.lanes(), worker.squares);
    if (stands_in(worker, request.left_out)) add(worker.lanes_before(), worker.squares_before);
    for (const auto& replica : worker.replicas) reduced.bytes_sent += replica->spent.bytes_sent;
  }
};

class ApplyHandler final : public Handler<Apply> {
 public:
  void prepare(WorkerState& worker, const Apply& request) const override {
    check_steps(request.step, request.updates);
    // Check the buffer number here, because the exchange does not check it.
    if (request.to < 0 || request.to >= worker.layout.buffers)
      throw Error(ErrorCode::protocol, "the buffer number is out of range");
    worker.newest_round = request.round;
  }
  void work(WorkerState& worker, Replica& replica, const Apply& request) const override {
    replica.spent = {};
    replica.finite = true;
    if (is_idle(worker, replica)) return;
    if (worker.exchange) return apply_among_nodes(worker, replica, request);
    for (const Range& range : slices_of(worker, replica, request.left_out)) {
      std::atomic<bool> finite{true};
      const ReduceSeconds spent = in_parts(worker, replica, range, [&](const Range& part) {
        RangeUpdate update(worker, replica, request, part);
        const ReduceSeconds seconds =
            apply_here(worker, replica, request, part,
                       [&](std::size_t begin, std::span<const float> mean) { update(begin, mean); });
        if (!update.finite()) finite = false;
        return seconds;
      });
      replica.spent.reduce_seconds += spent.reduce;
      replica.spent.apply_seconds += spent.apply;
      replica.finite = replica.finite && finite;
    }
  }
  void answer(WorkerState& worker, const Apply& /*request*/, Applied& applied) const override {
    if (worker.outer)
      for (const double sum :
           subtree_sums(worker.layout.size, worker.plan.slice_of_lanes(worker.lanes()), worker.squares.pages()))
        applied.square_bits.push_back(to_bits(sum));
    double reduce = 0;
    double apply = 0;
    // Report both times of the slowest replica. If the times of different replicas were combined, their sum could
    // exceed the time of the round.
    for (const auto& replica : worker.replicas) {
      const ExchangeReport& spent = replica->spent;
      const double its_reduce = spent.reduce_seconds + spent.wait_seconds;
      if (its_reduce + spent.apply_seconds > reduce + apply) {
        reduce = its_reduce;
        apply = spent.apply_seconds;
      }
      applied.bytes_sent += spent.bytes_sent;
      applied.finite = applied.finite && replica->finite;
      applied.not_finite_from = std::max(applied.not_finite_from, spent.not_finite_from);
    }
    applied.reduce_bits = to_bits(reduce);
    applied.apply_bits = to_bits(apply);
  }
};

class FindNonFiniteHandler final : public FirstReplicaHandler<FindNonFinite> {
 public:
  void work(WorkerState& worker, Replica& replica, const FindNonFinite& request) const override {
    const Range& slice = worker.slabs->slice();
    std::vector<std::span<const float>> vectors;
    vectors.reserve(static_cast<std::size_t>(worker.layout.vectors));
    for (int vector = 0; vector < worker.layout.vectors; ++vector)
      vectors.emplace_back(worker.slabs->slice_of(vector, request.buffer, slice));
    replica.non_finite = first_non_finite(*replica.model, slice.begin, vectors);
  }
  void answer(WorkerState& worker, const FindNonFinite& request, Found& found) const override {
    found.non_finite = worker.replicas.front()->non_finite;
    const auto owner = static_cast<std::size_t>(std::max(0, request.owner));
    if (worker.exchange)
      found.sums_from = worker.exchange->non_finite_sums_from({owner, owner + worker.replicas.size()});
  }
};

}  // namespace

const Handler<Compute>& handler_of(const Compute* /*kind*/) { return the<ComputeHandler>(); }
const Handler<ReduceMean>& handler_of(const ReduceMean* /*kind*/) { return the<ReduceMeanHandler>(); }
const Handler<Apply>& handler_of(const Apply* /*kind*/) { return the<ApplyHandler>(); }
const Handler<FindNonFinite>& handler_of(const FindNonFinite* /*kind*/) { return the<FindNonFiniteHandler>(); }

}  // namespace troupe
