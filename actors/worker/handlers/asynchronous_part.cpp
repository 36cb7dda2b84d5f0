#include <algorithm>
#include <optional>

#include "actors/messages/bounds.hpp"
#include "actors/worker/handlers/handlers.hpp"
#include "models/dense.hpp"

// Handlers for asynchronous algorithms, in which workers do not wait for each other. For each shard of the worker, the
// handlers add up gradients until the worker pushes them.
namespace troupe {
namespace {

/// Computes the gradients that one replica must compute for one `Advance` request.
class Advancing {
 public:
  Advancing(const WorkerState& worker, Replica& replica, const Advance& request)
      : worker_(worker), replica_(replica), request_(request), learned_size_(replica.model->info().learned_size) {
    if (!request.served && replica.own_weights.empty())
      throw Error(ErrorCode::protocol, "a replica cannot continue with its own weights: it has none yet");
    on_own_ = !request.served;
  }

  void run() {
    replica_.advanced.assign(replica_.own.shards.size(), {});
    for (std::int32_t each = 0; each < request_.gradients; ++each) {
      const bool moves = request_.goes_on || each + 1 < request_.gradients;
      for (std::size_t i = 0; i < replica_.own.shards.size(); ++i) compute(i, each, moves);
    }
  }

 private:
  std::span<const float> weights() const {
    return on_own_ ? std::span<const float>(replica_.own_weights) : worker_.slabs->served();
  }

  /// Computes one gradient of one shard, and adds it to the gradient for the next push. If `moves` is true, also
  /// updates the replica's own weights with it, because the next gradients are computed from them.
  /// @param at the position of the shard in own.shards
  /// @param each the number of gradients of this shard already computed for this request
  void compute(std::size_t at, std::int32_t each, bool moves) {
    const int shard = replica_.own.shards[at];
    const std::span<float> pushed = worker_.gradients->gradient(static_cast<std::size_t>(shard));
    const bool first = request_.first && each == 0;
    if (!first) replica_.next_gradient.resize(pushed.size());
    const std::span<float> gradient = first ? pushed : std::span<float>(replica_.next_gradient);
    const BatchResult computed = replica_.model->gradient(
        {shard, worker_.layout.num_shards, request_.step + each, worker_.seed}, weights(), gradient);
    learn_statistics(gradient, computed.samples);
    if (moves) move(gradient, computed.samples);
    if (!first) add_scaled(1, gradient.data(), gradient.size(), pushed.data());
    replica_.advanced[at] += computed;
  }

  /// Replaces the statistics in `gradient`, which follow the learned floats, by the change of the statistics that they
  /// cause.
  void learn_statistics(std::span<float> gradient, std::int64_t samples) const {
    const std::span<float> sums = gradient.subspan(learned_size_);
    if (sums.empty()) return;
    if (samples == 0) {
      std::ranges::fill(sums, 0.0F);
      return;
    }
    for (float& sum : sums) sum /= static_cast<float>(samples);
    const auto before = weights().subspan(learned_size_);
    std::vector<float> after(sums.size());
    replica_.model->update_statistics(learned_size_, sums, samples, before, after);
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] = after[i] - before[i];
  }

  /// Updates the replica's own weights with one gradient. If the replica has used the served weights so far, first
  /// copies the served weights to its own weights.
  void move(std::span<const float> gradient, std::int64_t samples) {
    if (!on_own_) {
      const auto served = worker_.slabs->served();
      replica_.own_weights.assign(served.begin(), served.end());
      on_own_ = true;
    }
    const auto rate = static_cast<float>(from_bits(request_.rate_bits));
    if (samples > 0)
      add_scaled(-rate / static_cast<float>(samples), gradient.data(), learned_size_, replica_.own_weights.data());
    add_scaled(1 / static_cast<float>(worker_.layout.num_shards), gradient.data() + learned_size_,
               gradient.size() - learned_size_, replica_.own_weights.data() + learned_size_);
  }

  const WorkerState& worker_;
  Replica& replica_;
  const Advance& request_;
  const std::size_t learned_size_;
  bool on_own_ = false;
};

class AdvanceHandler final : public Handler<Advance> {
 public:
  void prepare(WorkerState& worker, const Advance& request) const override {
    check_steps(request.step);
    if (request.gradients < 1 || request.gradients > kMostGradients)
      throw Error(ErrorCode::protocol, "the number of requested gradients is out of range");
    worker.computing = Stopwatch();
  }
  void work(WorkerState& worker, Replica& replica, const Advance& request) const override {
    const Turn turn = worker.turn_of(replica);
    replica.own.forget();
    Advancing(worker, replica, request).run();
    replica.finite = std::ranges::all_of(replica.own.shards, [&](int shard) {
      return all_finite(worker.gradients->gradient(static_cast<std::size_t>(shard)));
    });
  }
  void answer(WorkerState& worker, const Advance& /*request*/, Advanced& advanced) const override {
    Passes passes;
    for (const auto& replica : worker.replicas) {
      passes.add(replica->advanced);
      for (std::size_t i = 0; i < replica->own.shards.size(); ++i) {
        advanced.shards.push_back(replica->own.shards[i]);
        advanced.loss_bits.push_back(to_bits(replica->advanced[i].loss_sum));
        advanced.samples.push_back(replica->advanced[i].samples);
      }
      advanced.finite = advanced.finite && replica->finite;
      if (!replica->finite) passes.note_non_finite();
    }
    advanced.pass = passes.report(worker.computing, worker.slabs->served());
  }
};

class DeliverHandler final : public FirstReplicaHandler<Deliver> {
 public:
  void work(WorkerState& worker, Replica& /*replica*/, const Deliver& request) const override {
    if (!worker.server_exchange) throw Error(ErrorCode::protocol, "this generation has no parameter servers");
    const Deadline deadline = deadline_of(request).earlier();
    worker.bytes_delivered = worker.bytes_taken = 0;
    if (request.pushes) worker.bytes_delivered = worker.server_exchange->push(worker.rank(), request.round, deadline);
    if (request.fetches)
      worker.bytes_taken = worker.server_exchange->await_served(worker.rank(), request.round, deadline);
  }
  void answer(WorkerState& worker, const Deliver& /*request*/, Pushed& pushed) const override {
    pushed.bytes_pushed = worker.bytes_delivered;
    pushed.bytes_fetched = worker.bytes_taken;
  }
};

}  // namespace

const Handler<Advance>& handler_of(const Advance* /*kind*/) { return the<AdvanceHandler>(); }
const Handler<Deliver>& handler_of(const Deliver* /*kind*/) { return the<DeliverHandler>(); }

}  // namespace troupe
