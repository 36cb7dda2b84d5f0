#include "actors/algorithms/synchronous.hpp"

#include <algorithm>
#include <cmath>

#include "actors/algorithms/non_finite_search.hpp"
#include "actors/messages/synchronous.hpp"
#include "actors/rounds/reply_checks.hpp"
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

/// One step on its way.
class Step {
 public:
  Step(const StepContext& context, const Deadline& deadline)
      : context_(context),
        version_(context.versions.committed()),
        from_(context.versions.buffer()),
        to_(*context.versions.spare()),
        deadline_(deadline) {}

  StepReport run(bool rehearse);

 private:
  Phase phase(const char* name) const { return {name, version_.step + 1, deadline_}; }
  AllComputed compute();
  /// Adds losses in the tree and counts samples.
  Reduced combine(const AllComputed& computed) const;
  void reduce_here(std::int64_t samples) const;
  /// @param computed the round in which the gradients were computed.
  AllApplied apply(std::int64_t samples, std::uint64_t computed);
  void check_finite(const AllApplied& applied);
  StepReport report_of(const AllComputed& computed, const Reduced& reduced) const;
  /// Workers reduce and apply chunk by chunk in one go; the slowest one's share of adding is the reduction's.
  void split(const AllApplied& applied, double both, StepReport& report) const;

  const StepContext& context_;
  const Version version_;
  const int from_;  ///< the buffer that is read
  const int to_;    ///< that is written
  const Deadline deadline_;
};

StepReport Step::run(bool rehearse) {
  Stopwatch whole;
  Stopwatch lap;
  const auto computed = compute();
  const double compute_seconds = lap.lap();
  // Nodes exchange already: whatever fails from here on ends the generation.
  if (!context_.settles_by_fence) context_.rounds.unsettle();
  const Reduced reduced = combine(computed);
  if (context_.gradients != nullptr) reduce_here(reduced.samples);
  const double driver_reduce_seconds = context_.gradients != nullptr ? lap.lap() : 0;
  const auto applied = apply(reduced.samples, computed.front().reply.round);
  check_finite(applied);

  StepReport report = report_of(computed, reduced);
  report.seconds.compute_all = compute_seconds;
  split(applied, lap.seconds(), report);
  report.seconds.reduce += driver_reduce_seconds;
  if (!rehearse) context_.versions.commit(to_, {version_.step + 1, version_.updates + 1});
  report.seconds.step = whole.seconds();
  return report;
}

AllComputed Step::compute() {
  Compute request;
  request.step = version_.step;
  request.buffer = from_;
  request.timeout_ms = deadline_.left().count();
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
      if (!std::isfinite(loss))
        throw Error(
            ErrorCode::non_finite_loss,
            "the loss of shard " + std::to_string(reply.shards[i]) + " is " + (std::isnan(loss) ? "NaN" : "infinite"),
            where);
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

void Step::reduce_here(std::int64_t samples) const {
  const auto mean = context_.gradients->mean();
  reduce_and_apply(context_.gradients->all(), samples, {0, mean.size()},
                   [&](std::size_t begin, std::span<const float> chunk) {
                     std::copy(chunk.begin(), chunk.end(), mean.begin() + static_cast<std::ptrdiff_t>(begin));
                   });
}

AllApplied Step::apply(std::int64_t samples, std::uint64_t computed) {
  Apply request;
  request.step = version_.step;
  request.from = from_;
  request.to = to_;
  request.samples = samples;
  request.updates = version_.updates;
  request.computed = computed;
  request.timeout_ms = deadline_.left().count();
  return context_.rounds.ask(request, context_.appliers, phase("apply"));
}

void Step::check_finite(const AllApplied& applied) {
  std::vector<int> workers;
  for (const auto& [worker, reply] : applied)
    if (!reply.finite) workers.push_back(worker);
  if (!workers.empty()) throw non_finite_error(context_, workers, to_, phase("apply"));
}

StepReport Step::report_of(const AllComputed& computed, const Reduced& reduced) const {
  StepReport report;
  report.step = version_.step + 1;
  report.loss = reduced.loss;
  report.samples = reduced.samples;
  report.strategy = to_string(context_.plan.strategy);
  report.deterministic = !context_.plan.ring_order;
  if (context_.gradients != nullptr)
    report.bytes_copied = static_cast<std::int64_t>(context_.gradients->mean().size_bytes());
  for (const auto& [worker, reply] : computed) report.seconds.compute.push_back(from_bits(reply.seconds_bits));
  return report;
}

void Step::split(const AllApplied& applied, double both, StepReport& report) const {
  PhaseSeconds& seconds = report.seconds;
  double slowest_reduce = 0;
  seconds.apply.assign(static_cast<std::size_t>(context_.members.num_workers()), 0);
  for (const auto& [worker, reply] : applied) {
    check_reply(reply, context_.rounds.where(worker, phase("apply")));
    seconds.apply[static_cast<std::size_t>(worker)] = from_bits(reply.apply_bits);
    report.bytes_sent += reply.bytes_sent;
    slowest_reduce = std::max(slowest_reduce, from_bits(reply.reduce_bits));
  }
  seconds.reduce = context_.gradients != nullptr ? 0 : std::min(slowest_reduce, both);
  seconds.apply_all = both - seconds.reduce;
}

}  // namespace

StepReport Synchronous::step(const StepContext& context, const Deadline& deadline, bool rehearse) {
  return Step(context, deadline).run(rehearse);
}

}  // namespace troupe
