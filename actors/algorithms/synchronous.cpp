#include "actors/algorithms/synchronous.hpp"

#include <algorithm>
#include <cmath>

#include "actors/algorithms/gradient_norm.hpp"
#include "actors/algorithms/non_finite_search.hpp"
#include "actors/algorithms/step_seconds.hpp"
#include "actors/messages/synchronous.hpp"
#include "actors/rounds/reply_checks.hpp"
#include "collectives/exchange/page_squares.hpp"
#include "collectives/exchange/reduce.hpp"
#include "collectives/plan/tree.hpp"

namespace troupe {
namespace {

using AllComputed = std::vector<From<Computed>>;
using AllApplied = std::vector<From<Applied>>;

struct Reduced {
  double loss = 0;
  std::int64_t samples = 0;
};

/// The results of computing the mean gradient in a separate round, before it is applied.
struct MeanGradient {
  GradientNorm length;  ///< the length is 0 if gradients are not clipped
  std::int64_t bytes_sent = 0;
};

/// Carries out one attempt of a synchronous step.
class Step {
 public:
  Step(const StepContext& context, Backups& backups, const Deadline& deadline)
      : context_(context),
        backups_(backups),
        backs_up_(backups.in_use(context)),
        version_(context.versions.committed()),
        from_(context.versions.buffer()),
        to_(*context.versions.spare()),
        deadline_(deadline) {}

  StepReport run(bool rehearse);

 private:
  Phase phase(const char* name) const { return {name, version_.step + 1, deadline_}; }
  AllComputed compute();
  /// Returns the workers that reduce gradients and apply updates in this step.
  std::vector<int> appliers() const { return backs_up_ ? backups_.appliers(context_) : context_.appliers; }
  /// Checks the replies, adds the losses of all shards in the order of the fixed tree, and counts the samples. Returns
  /// the mean loss and the number of samples.
  Reduced combine(const AllComputed& computed) const;
  /// Returns whether the mean gradient is computed before the round that applies it. This is necessary if the driver
  /// adds the gradients, or if the driver needs the length of the mean gradient for clipping.
  bool reduces_first() const { return context_.gradients != nullptr || context_.optimizer.clips(); }
  /// Computes the mean gradient, in the driver (`reduce_here`) or in the workers (`reduce_there`).
  /// @param samples the number of samples of this step
  /// @param computed the number of the round in which the gradients were computed
  MeanGradient reduce_first(std::int64_t samples, std::uint64_t computed);
  MeanGradient reduce_here(std::int64_t samples) const;
  MeanGradient reduce_there(std::int64_t samples, std::uint64_t computed);
  AllApplied apply(std::int64_t samples, std::uint64_t computed, double norm);
  void check_finite(const AllApplied& applied, const GradientNorm& length);
  StepReport report_of(const AllComputed& computed, const Reduced& reduced) const;

  const StepContext& context_;
  Backups& backups_;
  const bool backs_up_;
  const Version version_;
  const int from_;  ///< the buffer that this step reads
  const int to_;    ///< the buffer that this step writes
  const Deadline deadline_;
};

StepReport Step::run(bool rehearse) {
  Stopwatch whole;
  Stopwatch lap;
  const auto computed = compute();
  const double compute_seconds = lap.lap();
  // Nodes have already started to exchange gradients. Therefore, if the step fails after this point, the generation
  // ends.
  if (!context_.settles_by_fence) context_.rounds.unsettle();
  const Reduced reduced = combine(computed);
  const std::uint64_t round = computed.front().reply.round;
  MeanGradient mean;
  if (reduces_first()) mean = reduce_first(reduced.samples, round);
  const double reduce_seconds = reduces_first() ? lap.lap() : 0;
  const auto applied = apply(reduced.samples, round, mean.length.norm);
  check_finite(applied, mean.length);

  StepReport report = report_of(computed, reduced);
  report.seconds.compute_all = compute_seconds;
  split_apply(context_, applied, lap.seconds(), phase("apply"), report);
  report.seconds.reduce += reduce_seconds;
  report.gradient_norm = mean.length.norm;
  report.bytes_sent += mean.bytes_sent;
  if (!rehearse) context_.versions.commit(to_, {version_.step + 1, version_.updates + 1});
  report.seconds.step = whole.seconds();
  return report;
}

AllComputed Step::compute() {
  Compute request;
  request.call = context_.call;
  request.step = version_.step;
  request.buffer = from_;
  request.timeout_ms = deadline_.left().count();
  if (backs_up_) return backups_.compute(context_, request, phase("compute"));
  return context_.rounds.ask(request, context_.members.workers(), phase("compute"));
}

Reduced Step::combine(const AllComputed& computed) const {
  std::vector<double> losses(static_cast<std::size_t>(context_.plan.topology.num_shards));
  Reduced reduced;
  for (const auto& [worker, reply] : computed) {
    const Where where = context_.rounds.where(worker, phase("compute"));
    check_reply(reply, context_.members.shards_of(worker), where);
    for (std::size_t i = 0; i < reply.shards.size(); ++i) {
      const double loss = from_bits(reply.loss_bits[i]);
      check_loss(loss, reply.shards[i], reply.pass, where);
      losses.at(static_cast<std::size_t>(reply.shards[i])) = loss;
      reduced.samples += reply.samples[i];
    }
  }
  if (reduced.samples <= 0)
    throw Error(ErrorCode::bad_data, "no shard has a sample at this step",
                {.phase = "compute", .step = version_.step + 1});
  reduced.loss = tree_sum(losses) / static_cast<double>(reduced.samples);
  return reduced;
}

MeanGradient Step::reduce_first(std::int64_t samples, std::uint64_t computed) {
  return context_.gradients != nullptr ? reduce_here(samples) : reduce_there(samples, computed);
}

MeanGradient Step::reduce_here(std::int64_t samples) const {
  const auto mean = context_.gradients->mean();
  const bool clips = context_.optimizer.clips();
  PageSquares squares({0, mean.size()}, context_.model.traits.learned_size);
  const Gradients gradients =
      replaced(context_.gradients->all(), backups_.left_out_shards(context_.members), context_.gradients->backups());
  reduce_and_apply(gradients, samples, {0, mean.size()}, [&](std::size_t begin, std::span<const float> chunk) {
    std::copy(chunk.begin(), chunk.end(), mean.begin() + static_cast<std::ptrdiff_t>(begin));
    if (clips) squares.note(begin, chunk);
  });
  MeanGradient found;
  if (clips) found.length.norm = std::sqrt(tree_sum(squares.pages()));
  return found;
}

MeanGradient Step::reduce_there(std::int64_t samples, std::uint64_t computed) {
  ReduceMean request;
  request.samples = samples;
  request.computed = computed;
  if (backs_up_) request.left_out = backups_.left_out_lanes(context_.members);
  request.timeout_ms = deadline_.left().count();
  const Phase reduce = phase("reduce");
  const auto replies = context_.rounds.ask(request, appliers(), reduce);
  if (!context_.settles_by_fence) context_.rounds.unsettle();
  const auto slices_of = [this](int worker) { return backups_.slices_of(context_, worker); };
  MeanGradient mean;
  mean.length = gradient_norm(context_, slices_of, replies, reduce);
  for (const auto& [worker, reply] : replies) mean.bytes_sent += reply.bytes_sent;
  return mean;
}

AllApplied Step::apply(std::int64_t samples, std::uint64_t computed, double norm) {
  Apply request;
  request.step = version_.step;
  request.from = from_;
  request.to = to_;
  request.samples = samples;
  request.updates = version_.updates;
  request.computed = computed;
  request.clip_bits = to_bits(static_cast<double>(context_.optimizer.clip_factor(norm)));
  request.rate_bits = to_bits(context_.learning_rate);
  if (backs_up_) request.left_out = backups_.left_out_lanes(context_.members);
  request.timeout_ms = deadline_.left().count();
  return context_.rounds.ask(request, appliers(), phase("apply"));
}

void Step::check_finite(const AllApplied& applied, const GradientNorm& length) {
  std::vector<int> workers = say_non_finite(applied);
  // If some workers had a non-finite mean gradient, name only these workers in the error. Another worker that reports
  // non-finite weights may have received them from these workers.
  if (!length.non_finite.empty())
    std::erase_if(workers, [&](int worker) { return std::ranges::count(length.non_finite, worker) == 0; });
  if (!workers.empty()) throw non_finite_error(context_, context_.optimizer, workers, to_, phase("apply"));
  check_senders(context_, applied, phase("apply"));
  if (!length.non_finite.empty())  // some rules produce finite weights even from a gradient that is not finite
    throw non_finite_mean_error(context_, length.non_finite.front(), to_, phase("apply"));
  if (!std::isfinite(length.norm))
    throw Error(ErrorCode::non_finite_weights, "the step's mean gradient is not finite; nothing is committed",
                {.phase = "apply", .step = version_.step + 1});
}

StepReport Step::report_of(const AllComputed& computed, const Reduced& reduced) const {
  StepReport report;
  report.step = version_.step + 1;
  report.loss = reduced.loss;
  report.learning_rate = context_.learning_rate;
  report.samples = reduced.samples;
  report.strategy = context_.plan.strategy;
  report.deterministic = !context_.plan.ring_order;
  if (context_.gradients != nullptr)
    report.bytes_copied = static_cast<std::int64_t>(context_.gradients->mean().size_bytes());
  for (const auto& [worker, reply] : computed) note_pass(reply.pass, report);
  report.slowest = slowest_of(computed, report.seconds.compute);
  if (backs_up_) report.left_out = backups_.left_out();
  return report;
}

}  // namespace

StepReport SynchronousRunner::step(const StepContext& context, const Deadline& deadline, bool rehearse) {
  return Step(context, backups_, deadline).run(rehearse);
}

}  // namespace troupe
