#include "actors/algorithms/local.hpp"

#include <algorithm>
#include <cmath>

#include "actors/algorithms/gradient_norm.hpp"
#include "actors/algorithms/non_finite_search.hpp"
#include "actors/algorithms/step_seconds.hpp"
#include "actors/messages/local.hpp"
#include "actors/messages/options_json.hpp"
#include "actors/rounds/reply_checks.hpp"
#include "collectives/plan/tree.hpp"

namespace troupe {
namespace {

using AllTaken = std::vector<From<StepsTaken>>;
using AllApplied = std::vector<From<Applied>>;

OptimizerSettings outer_options(const LocalSgd& options) {
  OptimizerSettings outer;
  const OuterNesterov rule = options.outer.value_or(OuterNesterov());
  outer.kind = options.outer ? kOuterNesterov : kOuterAverage;
  outer.learning_rate = rule.learning_rate;
  outer.momentum = rule.momentum;
  return outer;
}

/// Carries out one call of `LocalRunner::step`.
class LocalStep {
 public:
  LocalStep(const StepContext& context, const UpdateRules& outer, int steps, const Deadline& deadline)
      : context_(context),
        outer_(outer),
        steps_(steps),
        num_shards_(context.plan.topology.num_shards),
        version_(context.versions.committed()),
        from_(context.versions.buffer()),
        to_(*context.versions.spare()),
        deadline_(deadline) {}

  StepReport run(bool rehearse) {
    const Stopwatch whole;
    Stopwatch lap;
    const AllTaken taken = take();
    // Nodes have already started to exchange weights. Therefore, if the call fails from here on, the generation ends.
    if (!context_.settles_by_fence) context_.rounds.unsettle();
    StepReport report = report_of(taken);
    report.seconds.compute_all = lap.lap();
    const AllApplied applied = apply(taken.front().reply.round);
    check_finite(applied);
    split_apply(context_, applied, lap.seconds(), phase("apply"), report);
    report.local = {steps_, drift(taken, applied)};
    if (!rehearse) context_.versions.commit(to_, {version_.step + steps_, version_.updates + steps_});
    report.seconds.step = whole.seconds();
    return report;
  }

 private:
  Phase phase(const char* name) const { return {name, version_.step + 1, deadline_}; }
  AllTaken take() const;
  StepReport report_of(const AllTaken& taken) const;
  void check(const StepsTaken& reply, int worker) const;
  AllApplied apply(std::uint64_t taken) const;
  void check_finite(const AllApplied& applied) const;
  double drift(const AllTaken& taken, const AllApplied& applied) const;

  const StepContext& context_;
  const UpdateRules& outer_;
  const int steps_;
  const int num_shards_;
  const Version version_;
  const int from_;
  const int to_;
  const Deadline deadline_;
};

AllTaken LocalStep::take() const {
  TakeSteps request;
  request.step = version_.step;
  request.steps = steps_;
  request.from = from_;
  request.to = to_;
  request.updates = version_.updates;
  for (int each = 0; each < steps_; ++each)
    request.rate_bits.push_back(to_bits(context_.rate_at(version_.step + each)));
  const auto same = [&](std::uint64_t bits) { return bits == request.rate_bits.front(); };
  if (std::ranges::all_of(request.rate_bits, same)) request.rate_bits.resize(1);
  request.timeout_ms = deadline_.left().count();
  return context_.rounds.ask(request, context_.members.workers(), phase("compute"));
}

void LocalStep::check(const StepsTaken& reply, int worker) const {
  const Where where = context_.rounds.where(worker, phase("compute"));
  const UpdateRules& own = context_.optimizer;
  check_reply(reply, context_.members.shards_of(worker), context_.model.tensors.size(), own.state_vectors(), where);
  for (std::size_t i = 0; i < reply.shards.size(); ++i)
    check_loss(from_bits(reply.loss_bits[i]), reply.shards[i], reply.pass, where);
  if (reply.non_finite_shard < 0) return;
  Where at = where;
  at.object = name_of_tensor(context_, reply.non_finite);
  throw Error(ErrorCode::non_finite_weights,
              "the new " + name_of_part(reply.non_finite, own) + " of shard " + std::to_string(reply.non_finite_shard) +
                  "'s copy would not be finite; nothing is committed",
              at);
}

StepReport LocalStep::report_of(const AllTaken& taken) const {
  StepReport report;
  report.step = version_.step + steps_;
  report.learning_rate = context_.rate_at(report.step - 1);
  report.strategy = context_.plan.strategy;
  report.deterministic = !context_.plan.ring_order;
  std::vector<double> losses(static_cast<std::size_t>(num_shards_));
  for (const auto& [worker, reply] : taken) {
    check(reply, worker);
    for (std::size_t i = 0; i < reply.shards.size(); ++i) {
      losses.at(static_cast<std::size_t>(reply.shards[i])) = from_bits(reply.loss_bits[i]);
      report.samples += reply.samples[i];
    }
    note_pass(reply.pass, report);
  }
  if (report.samples <= 0)
    throw Error(ErrorCode::bad_data, "no shard has a sample in these steps",
                {.phase = "compute", .step = version_.step + 1});
  report.loss = tree_sum(losses) / static_cast<double>(report.samples);
  report.slowest = slowest_of(taken, report.seconds.compute);
  return report;
}

AllApplied LocalStep::apply(std::uint64_t taken) const {
  Apply request;
  request.step = version_.step;
  request.from = from_;
  request.to = to_;
  // Workers divide the sum by `samples`. Here the sum is over the copies of all shards, so `samples` is the number of
  // shards.
  request.samples = num_shards_;
  request.updates = version_.updates;
  request.computed = taken;
  request.clip_bits = to_bits(1.0);
  request.rate_bits = to_bits(context_.rate_at(version_.step));
  request.timeout_ms = deadline_.left().count();
  return context_.rounds.ask(request, context_.appliers, phase("apply"));
}

void LocalStep::check_finite(const AllApplied& applied) const {
  const std::vector<int> workers = say_non_finite(applied);
  if (!workers.empty()) throw non_finite_error(context_, outer_, workers, to_, phase("apply"));
  check_senders(context_, applied, phase("apply"));
}

/// Returns the root mean square distance between the shards' copies of the weights and the mean of these copies. The
/// squared value is computed as a difference of two numbers. The first is the mean squared distance between the copies
/// and the old weights. The second is the squared distance between the mean of the copies and the old weights.
double LocalStep::drift(const AllTaken& taken, const AllApplied& applied) const {
  std::vector<double> moved(static_cast<std::size_t>(num_shards_));
  for (const auto& [worker, reply] : taken)
    for (std::size_t i = 0; i < reply.shards.size(); ++i)
      moved.at(static_cast<std::size_t>(reply.shards[i])) = from_bits(reply.moved_bits[i]);
  const double mean = tree_sum(moved) / num_shards_;
  return std::sqrt(std::max(0.0, mean - sum_of_squares(context_, applied, phase("apply"))));
}

}  // namespace

LocalRunner::LocalRunner(const LocalSgd& options)
    : options_(options), outer_options_(outer_options(options)), outer_(outer_optimizer(outer_options_)) {}

StateDescription LocalRunner::state(const UpdateRules& optimizer, int num_shards,
                                    std::int64_t /*steps_per_epoch*/) const {
  StateDescription state;
  state.shape.vectors = 1 + outer_.state_vectors();
  state.shape.per_shard = optimizer.state_vectors();
  for (int vector = 0; vector < outer_.state_vectors(); ++vector) state.saved.push_back(outer_.state_name(vector));
  for (int shard = 0; shard < num_shards; ++shard)
    for (int vector = 0; vector < optimizer.state_vectors(); ++vector)
      state.saved.push_back(optimizer.state_name(vector) + " of shard " + std::to_string(shard));
  state.outer = to_json(outer_options_);
  return state;
}

StepReport LocalRunner::step(const StepContext& context, const Deadline& deadline, bool rehearse) {
  return LocalStep(context, outer_, options_.steps, deadline).run(rehearse);
}

}  // namespace troupe
