#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <optional>

#include "actors/messages/bounds.hpp"
#include "actors/worker/handlers/exchange_work.hpp"
#include "actors/worker/handlers/handlers.hpp"
#include "actors/worker/handlers/non_finite.hpp"
#include "collectives/exchange/reduce.hpp"
#include "models/dense.hpp"

// Handlers for local SGD: each shard of the worker makes steps on its own copy of the weights.
namespace troupe {
namespace {

/// Calls `note`, which must add squares to the PageSquares that it receives. Returns the sum of these squares, added in
/// the order of the tree over pages.
double tree_of_squares(std::size_t learned_size, const std::function<void(PageSquares&)>& note) {
  PageSquares squares({0, learned_size}, learned_size);
  note(squares);
  return tree_sum(squares.pages());
}

/// Makes the local steps of one shard.
class OwnSteps {
 public:
  OwnSteps(const WorkerState& worker, Replica& replica, const TakeSteps& request, int shard)
      : worker_(worker),
        replica_(replica),
        request_(request),
        shard_(shard),
        learned_size_(replica.model->info().learned_size),
        weights_(worker.slabs->weights(request.from)),
        copy_(worker.gradients->gradient(static_cast<std::size_t>(shard))) {
    replica.next_gradient.resize(copy_.size());
    chunk_.resize(kTreeChunk * static_cast<std::size_t>(2 + worker.optimizer->state_vectors()));
  }

  BatchResult run() {
    BatchResult all;
    for (std::int32_t each = 0; each < request_.steps; ++each) {
      if (worker_.newest_round > request_.round)
        throw Error(ErrorCode::protocol, "these steps are no longer needed: the call has failed elsewhere");
      all += step(each);
    }
    return all;
  }

  bool finite() const { return finite_; }
  /// Returns the squared distance between the shard's copy and the old weights.
  double moved() const {
    return tree_of_squares(learned_size_, [&](PageSquares& squares) {
      std::vector<float> apart(kTreeChunk);
      for_each_chunk({0, learned_size_}, [&](const Range& chunk) {
        subtract(copy_.data() + chunk.begin, weights_.data() + chunk.begin, chunk.size(), apart.data());
        squares.note(chunk.begin, {apart.data(), chunk.size()});
      });
    });
  }

 private:
  BatchResult step(std::int32_t each) {
    const auto from = each == 0 ? weights_ : std::span<const float>(copy_);
    const std::span<float> gradient(replica_.next_gradient);
    const BatchResult computed = replica_.model->gradient(
        {shard_, worker_.layout.num_shards, request_.step + each, worker_.seed}, from, gradient);
    clear_frozen(worker_.groups, gradient);
    if (computed.samples > 0)
      learn(each, from, gradient, computed.samples);
    else if (each == 0)
      stay();
    return computed;
  }

  /// Used if the shard has no samples: copies the weights and the optimizer state unchanged.
  void stay() {
    std::ranges::copy(weights_, copy_.begin());
    for (int number = 0; number < worker_.optimizer->state_vectors(); ++number)
      std::ranges::copy(state(number, request_.from), state(number, request_.to).begin());
  }

  std::span<float> state(int number, int buffer) const { return worker_.slabs->shard_vector(shard_, number, buffer); }

  double rate(std::int32_t each) const {
    return from_bits(request_.rate_bits.at(request_.rate_bits.size() > 1 ? static_cast<std::size_t>(each) : 0));
  }

  void learn(std::int32_t each, std::span<const float> from, std::span<float> gradient, std::int64_t samples) {
    const UpdateRules& optimizer = *worker_.optimizer;
    const auto updates = optimizer.prepare({rate(each), request_.step + each, request_.updates + each});
    divide(gradient.data(), gradient.size(), samples);
    if (optimizer.clips()) clip(gradient.first(learned_size_));
    const int state_from = each == 0 ? request_.from : request_.to;
    for_each_run(worker_.groups, 0, learned_size_, [&](std::size_t begin, std::size_t end, const GroupRun& run) {
      if (run.frozen) return keep({begin, end}, from);
      for_each_chunk({begin, end}, [&](const Range& chunk) {
        update(updates[run.group], chunk, gradient.data() + chunk.begin, from.data() + chunk.begin, state_from);
      });
    });
    for_each_run(
        worker_.groups, learned_size_, copy_.size(), [&](std::size_t begin, std::size_t end, const GroupRun& run) {
          if (run.frozen) return keep({begin, end}, from);
          for_each_chunk({begin, end}, [&](const Range& chunk) { learn_statistics(chunk, gradient, from, samples); });
        });
  }

  /// Handles a range of frozen tensors: copies their weights unchanged, and sets their optimizer state to zero.
  void keep(const Range& range, std::span<const float> from) {
    if (from.data() != copy_.data()) std::copy_n(from.data() + range.begin, range.size(), copy_.data() + range.begin);
    for (int number = 0; number < worker_.optimizer->state_vectors(); ++number)
      std::ranges::fill(state(number, request_.to).subspan(range.begin, range.size()), 0.0F);
  }

  void clip(std::span<float> gradient) const {
    const double squared = tree_of_squares(gradient.size(), [&](PageSquares& squares) { squares.note(0, gradient); });
    const float factor = worker_.optimizer->clip_factor(std::sqrt(squared));
    if (factor != 1) scale(factor, gradient.data(), gradient.size(), gradient.data());
  }

  /// Updates one chunk of the shard's copy and of its optimizer state. Old and new values may be in the same memory.
  /// Therefore the new values are first written into a small temporary buffer (`chunk_`), which stays in the cache.
  void update(const UpdateFunction& function, const Range& chunk, const float* gradient, const float* from,
              int state_from) {
    std::array<const float*, kMostStateVectors> old_state{};
    std::array<float*, kMostStateVectors> new_state{};
    const auto vectors = static_cast<std::size_t>(worker_.optimizer->state_vectors());
    for (std::size_t number = 0; number < vectors; ++number) {
      old_state[number] = state(static_cast<int>(number), state_from).data() + chunk.begin;
      new_state[number] = chunk_.data() + kTreeChunk * (1 + number);
    }
    const bool finite = function({chunk.size(), gradient, from, chunk_.data(), old_state.data(), new_state.data()});
    finite_ = finite_ && finite;
    std::copy_n(chunk_.data(), chunk.size(), copy_.data() + chunk.begin);
    for (std::size_t number = 0; number < vectors; ++number)
      std::copy_n(new_state[number], chunk.size(), state(static_cast<int>(number), request_.to).data() + chunk.begin);
  }

  void learn_statistics(const Range& chunk, std::span<const float> means, std::span<const float> from,
                        std::int64_t samples) {
    const std::span<float> updated(chunk_.data(), chunk.size());
    replica_.model->update_statistics(chunk.begin, means.subspan(chunk.begin, chunk.size()), samples,
                                      from.subspan(chunk.begin, chunk.size()), updated);
    finite_ = finite_ && all_finite(updated);
    std::ranges::copy(updated, copy_.begin() + static_cast<std::ptrdiff_t>(chunk.begin));
  }

  const WorkerState& worker_;
  Replica& replica_;
  const TakeSteps& request_;
  const int shard_;
  const std::size_t learned_size_;
  const std::span<const float> weights_;
  const std::span<float> copy_;
  AlignedFloats chunk_;  ///< temporary memory for the new weights and the new optimizer state of a chunk
  bool finite_ = true;
};

/// Returns the place of the first non-finite value in the shard's copy of the weights or in its optimizer state.
NonFinite find_non_finite(const WorkerState& worker, const Replica& replica, const TakeSteps& request, int shard) {
  std::vector<std::span<const float>> vectors{worker.gradients->gradient(static_cast<std::size_t>(shard))};
  for (int number = 0; number < worker.optimizer->state_vectors(); ++number)
    vectors.emplace_back(worker.slabs->shard_vector(shard, number, request.to));
  return first_non_finite(*replica.model, 0, vectors);
}

class TakeStepsHandler final : public Handler<TakeSteps> {
 public:
  void prepare(WorkerState& worker, const TakeSteps& request) const override {
    check_steps(request.step, request.updates);
    const std::size_t rates = request.rate_bits.size();
    if (!worker.outer || request.steps < 1 || request.steps > kMostLocalSteps ||
        (rates != 1 && rates != static_cast<std::size_t>(request.steps)))
      throw Error(ErrorCode::protocol, "the number of local steps or rates is out of range");
    worker.computing = Stopwatch();
    worker.newest_round = request.round;
  }
  void work(WorkerState& worker, Replica& replica, const TakeSteps& request) const override {
    const Turn turn = worker.turn_of(replica);
    replica.own.forget();
    replica.advanced.clear();
    replica.moved.clear();
    replica.non_finite_shard = -1;
    for (const int shard : replica.own.shards) {
      OwnSteps steps(worker, replica, request, shard);
      replica.advanced.push_back(steps.run());
      replica.moved.push_back(steps.moved());
      if (steps.finite() || replica.non_finite_shard >= 0) continue;
      replica.non_finite_shard = shard;
      replica.non_finite = find_non_finite(worker, replica, request, shard);
    }
  }
  void answer(WorkerState& worker, const TakeSteps& request, StepsTaken& taken) const override {
    Passes passes;
    for (const auto& replica : worker.replicas) {
      passes.add(replica->advanced);
      for (std::size_t i = 0; i < replica->own.shards.size(); ++i) {
        taken.shards.push_back(replica->own.shards[i]);
        taken.loss_bits.push_back(to_bits(replica->advanced[i].loss_sum));
        taken.samples.push_back(replica->advanced[i].samples);
        taken.moved_bits.push_back(to_bits(replica->moved[i]));
      }
      if (replica->non_finite_shard < 0 || taken.non_finite_shard >= 0) continue;
      taken.non_finite_shard = replica->non_finite_shard;
      taken.non_finite = replica->non_finite;
    }
    taken.pass = passes.report(worker.computing, worker.slabs->weights(request.from));
  }
  /// Starts to send the shards' copies to other nodes, while the driver still waits for other workers.
  void follow_up(WorkerState& worker, const TakeSteps& request, const Deadline& deadline) const override {
    if (worker.exchange)
      worker.exchange->start(exchange_work(worker, *worker.replicas.front(), request.round, deadline));
  }
};

}  // namespace

const Handler<TakeSteps>& handler_of(const TakeSteps* /*kind*/) { return the<TakeStepsHandler>(); }

}  // namespace troupe
