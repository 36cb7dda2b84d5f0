#include <algorithm>
#include <cmath>

#include "actors/driver/driver_rounds.hpp"
#include "actors/driver/reply_checks.hpp"
#include "actors/worker/non_finite.hpp"
#include "collectives/plan/tree.hpp"

// A step: compute, reduce, apply, commit.
namespace troupe {

StepReport Driver::step(bool rehearse) {
  settle();
  const Deadline deadline(options_.step_timeout);
  Stopwatch whole;
  Stopwatch phase;
  const auto computed = compute(deadline);
  const double compute_seconds = phase.lap();
  // Nodes exchange already: whatever fails from here on ends the generation.
  if (runtime_->cluster) settled_ = false;
  const Reduced reduced = combine(computed);
  if (plan_.driver_reduces) reduce_here(reduced.samples);
  const double driver_reduce_seconds = plan_.driver_reduces ? phase.lap() : 0;
  const auto applied = apply(reduced.samples, computed.front().round, deadline);
  check_finite(applied, deadline);

  StepReport report = report_of(computed, reduced);
  PhaseSeconds& seconds = report.seconds;
  double slowest_reduce = 0;
  seconds.apply.assign(slots_.size(), 0);
  for (const Applied& each : applied) {
    check_reply(each, where(each.worker, "apply"));
    seconds.apply[static_cast<std::size_t>(each.worker)] = from_bits(each.apply_bits);
    report.bytes_sent += each.bytes_sent;
    slowest_reduce = std::max(slowest_reduce, from_bits(each.reduce_bits));
  }
  // Workers reduce and apply chunk by chunk in one go; the slowest one's share of adding is the reduction's.
  const double both = phase.seconds();
  const double worker_reduce_seconds = plan_.driver_reduces ? 0 : std::min(slowest_reduce, both);
  seconds.compute_all = compute_seconds;
  seconds.reduce = driver_reduce_seconds + worker_reduce_seconds;
  seconds.apply_all = both - worker_reduce_seconds;
  if (!rehearse) {
    ++step_;
    ++updates_;
    buffer_ = 1 - buffer_;
  }
  seconds.step = whole.seconds();
  return report;
}

std::vector<Computed> Driver::compute(const Deadline& deadline) {
  Compute request;
  request.step = step_;
  request.buffer = buffer_;
  request.timeout_ms = deadline.left().count();
  return ask<Computed>(request, all_workers(), "compute", deadline);
}

Driver::Reduced Driver::combine(const std::vector<Computed>& computed) const {
  std::vector<double> losses(static_cast<std::size_t>(options_.num_shards));
  Reduced reduced;
  for (const Computed& worker : computed) {
    check_reply(worker, shards_of_worker(worker.worker), where(worker.worker, "compute"));
    for (std::size_t i = 0; i < worker.shards.size(); ++i) {
      const double loss = from_bits(worker.loss_bits[i]);
      if (!std::isfinite(loss))
        throw Error(
            ErrorCode::non_finite_loss,
            "the loss of shard " + std::to_string(worker.shards[i]) + " is " + (std::isnan(loss) ? "NaN" : "infinite"),
            where(worker.worker, "compute"));
      losses.at(static_cast<std::size_t>(worker.shards[i])) = loss;
      reduced.samples += worker.samples[i];
    }
  }
  if (reduced.samples <= 0)
    throw Error(ErrorCode::bad_data, "no shard has a sample at this step", {.phase = "compute", .step = step_ + 1});
  reduced.loss = tree_sum(losses) / static_cast<double>(reduced.samples);
  return reduced;
}

void Driver::reduce_here(std::int64_t samples) const {
  const SharedSlabs& slabs = *weights_->slabs();
  const auto mean = slabs.mean_gradient();
  reduce_and_apply(slabs.gradients(), samples, {0, layout_.size}, [&](std::size_t begin, std::span<const float> chunk) {
    std::copy(chunk.begin(), chunk.end(), mean.begin() + static_cast<std::ptrdiff_t>(begin));
  });
}

std::vector<Applied> Driver::apply(std::int64_t samples, std::uint64_t computed, const Deadline& deadline) {
  Apply request;
  request.step = step_;
  request.buffer = buffer_;
  request.samples = samples;
  request.updates = updates_;
  request.computed = computed;
  request.timeout_ms = deadline.left().count();
  return ask<Applied>(request, appliers_, "apply", deadline);
}

void Driver::check_finite(const std::vector<Applied>& applied, const Deadline& deadline) {
  std::vector<int> workers;
  for (const Applied& each : applied)
    if (!each.finite) workers.push_back(each.worker);
  if (workers.empty()) return;
  std::string what;
  Where place;
  try {
    const auto [found, worker] = find_non_finite(workers, deadline);
    const auto tensor = static_cast<std::size_t>(found.tensor);
    what = "the step's new " + name_of_part(found, optimizer_) + " would not be finite";
    place = where(worker, "apply");
    place.object = tensor < facts_->tensors.size() ? "tensor '" + facts_->tensors[tensor].name + "'" : "padding";
  } catch (const Error& error) {
    what = std::string("what the step makes would not be finite; where cannot be told: ") + error.message();
    place = error.where();
  }
  throw Error(ErrorCode::non_finite_weights, what + "; nothing is committed", place);
}

std::pair<NonFinite, int> Driver::find_non_finite(const std::vector<int>& workers, const Deadline& deadline) {
  Task task;
  task.kind = TaskKind::find_non_finite;
  std::vector<std::pair<NonFinite, int>> all;
  for (const int worker : workers) {  // one after the other, because it takes memory
    const NonFinite found = run_task(task, {worker}, "apply", deadline).front().found;
    check_reply(found, facts_->tensors.size(), optimizer_.state_vectors(), where(worker, "apply"));
    all.emplace_back(found, worker);
  }
  return *std::min_element(all.begin(), all.end());
}

StepReport Driver::report_of(const std::vector<Computed>& computed, const Reduced& reduced) const {
  StepReport report;
  report.step = step_ + 1;
  report.loss = reduced.loss;
  report.samples = reduced.samples;
  report.strategy = to_string(plan_.strategy);
  report.deterministic = !plan_.ring_order;
  if (plan_.driver_reduces) report.bytes_copied = static_cast<std::int64_t>(layout_.size * sizeof(float));
  for (const Computed& worker : computed) report.seconds.compute.push_back(from_bits(worker.seconds_bits));
  return report;
}

}  // namespace troupe
