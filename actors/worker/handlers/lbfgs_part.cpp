#include <algorithm>
#include <optional>

#include "actors/messages/bounds.hpp"
#include "actors/worker/handlers/handlers.hpp"
#include "collectives/exchange/reduce.hpp"

// Handlers that compute the loss and its gradient for portions of L-BFGS. The driver may request portions of any shard
// of the worker's node.
namespace troupe {
namespace {

/// Computes the gradient of one portion: the sum of the gradients of consecutive batches of one shard, all with the
/// same weights.
class PortionPass {
 public:
  PortionPass(const WorkerState& worker, Replica& replica, const ComputePortions& request)
      : worker_(worker), replica_(replica), request_(request) {
    const auto device = static_cast<std::size_t>(replica.context.replica);
    const std::int32_t portion = request.portions[device];
    const std::int32_t parts = worker.layout.parts;
    num_shards_ = worker.layout.num_data_shards();
    if (portion < 0 || portion >= worker.layout.num_shards) throw Error(ErrorCode::protocol, "an unknown portion");
    shard_ = portion / parts;
    const std::int64_t steps = std::max<std::int64_t>(1, replica.model->info().steps_per_epoch);
    begin_ = request.step >= 0 ? request.step : steps * (portion % parts) / parts;
    end_ = request.step >= 0 ? request.step + 1 : steps * (portion % parts + 1) / parts;
    sum_ = worker.slabs->dealt(request.slabs[device]);
  }

  void run() {
    const auto weights = worker_.slabs->weights(request_.buffer);
    ShardStep at{
        .shard = shard_, .num_shards = num_shards_, .seed = worker_.seed, .weights = WeightsVersion::begin(weights)};
    replica_.portion = {};
    replica_.abandoned = false;
    if (begin_ == end_) std::ranges::fill(sum_, 0.0F);
    for (at.step = begin_; at.step < end_; ++at.step) {
      if (worker_.newest_round > request_.round) {
        replica_.abandoned = true;
        return;
      }
      add(at, weights);
    }
  }

 private:
  void add(const ShardStep& at, std::span<const float> weights) {
    const bool first = at.step == begin_;
    if (!first) replica_.next_gradient.resize(sum_.size());
    const std::span<float> gradient = first ? sum_ : std::span<float>(replica_.next_gradient);
    replica_.portion += replica_.model->gradient(at, weights, gradient);
    clear_frozen(worker_.groups, gradient);
    if (!first) add_to(sum_.data(), gradient.data(), sum_.size());
  }

  const WorkerState& worker_;
  Replica& replica_;
  const ComputePortions& request_;
  int shard_ = 0;
  int num_shards_ = 1;
  std::int64_t begin_ = 0;
  std::int64_t end_ = 0;
  std::span<float> sum_;
};

class ComputePortionsHandler final : public Handler<ComputePortions> {
 public:
  void prepare(WorkerState& worker, const ComputePortions& request) const override {
    if (request.step >= 0) check_steps(request.step);  // if the step is negative, all samples are used
    const bool fits = !request.portions.empty() && request.portions.size() <= worker.replicas.size() &&
                      request.slabs.size() == request.portions.size();
    if (!worker.layout.deals() || !fits) throw Error(ErrorCode::protocol, "this worker cannot compute these portions");
    worker.computing = Stopwatch();
    worker.newest_round = request.round;
  }
  std::size_t replicas_for(const WorkerState& /*worker*/, const ComputePortions& request) const override {
    return request.portions.size();
  }
  void work(WorkerState& worker, Replica& replica, const ComputePortions& request) const override {
    const Turn turn = worker.turn_of(replica);
    PortionPass(worker, replica, request).run();
  }
  void answer(WorkerState& worker, const ComputePortions& request, PortionsComputed& computed) const override {
    Passes passes;
    computed.portions = request.portions;
    for (std::size_t i = 0; i < request.portions.size(); ++i) {
      const Replica& replica = *worker.replicas[i];
      computed.loss_bits.push_back(to_bits(replica.portion.loss_sum));
      computed.samples.push_back(replica.portion.samples);
      computed.abandoned = computed.abandoned || replica.abandoned;
      passes.add({&replica.portion, 1});
    }
    computed.pass = passes.report(worker.computing, worker.slabs->weights(request.buffer));
  }
};

class AbandonHandler final : public Handler<Abandon> {
 public:
  /// Makes replicas that still compute for an earlier round stop before their next batch. The reply is sent when all
  /// replicas have stopped, because each replica handles requests in order.
  void prepare(WorkerState& worker, const Abandon& request) const override { worker.newest_round = request.round; }
  void work(WorkerState& /*worker*/, Replica& /*replica*/, const Abandon& /*request*/) const override {}
};

}  // namespace

const Handler<ComputePortions>& handler_of(const ComputePortions* /*kind*/) { return the<ComputePortionsHandler>(); }
const Handler<Abandon>& handler_of(const Abandon* /*kind*/) { return the<AbandonHandler>(); }

}  // namespace troupe
