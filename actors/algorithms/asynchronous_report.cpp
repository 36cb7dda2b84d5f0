#include <algorithm>
#include <cmath>
#include <utility>

#include "actors/algorithms/asynchronous.hpp"

// Reports of steps of asynchronous algorithms.
namespace troupe {
namespace {

Staleness staleness_of(const std::vector<std::int64_t>& pushes) {
  Staleness staleness{.histogram = pushes};
  std::int64_t all = 0;
  double sum = 0;
  for (std::size_t age = 0; age < pushes.size(); ++age) {
    all += pushes[age];
    sum += static_cast<double>(age) * static_cast<double>(pushes[age]);
  }
  staleness.mean = all > 0 ? sum / static_cast<double>(all) : 0;
  staleness.largest = static_cast<std::int64_t>(pushes.size()) - 1;
  return staleness;
}

}  // namespace

void AsynchronousRunner::count(const Task& task) {
  const Unpushed done = unpushed_[task.worker];
  drop(task.worker);
  tally_.gradients += done.gradients;
  tally_.samples += done.samples;
  tally_.loss_sum += done.loss_sum;
  tally_.compute_seconds[task.worker] += done.seconds;
  tally_.data_seconds[task.worker] += done.data_seconds;
  tally_.counts += done.counts;
  add_correct(done.correct, tally_.correct);
  tally_.apply_seconds += task.seconds;
  ++tally_.traffic[task.worker].pushes;
  ++applied_pushes_;
  const auto age = static_cast<std::size_t>(task.staleness);
  tally_.staleness.resize(std::max(tally_.staleness.size(), age + 1));
  ++tally_.staleness[age];
}

/// Returns the report of the step that was just made. The tally may contain more gradients than one step needs, because
/// a push may contain several gradients per shard. Therefore the report contains a proportional part of the tally's
/// samples and losses. The remainder stays in the tally for the next step.
/// @param seconds the time that the step took
StepReport AsynchronousRunner::report_of(const StepContext& context, double seconds) {
  const std::int64_t wanted = context.plan.topology.num_shards;
  const double part = static_cast<double>(wanted) / static_cast<double>(tally_.gradients);
  StepReport report;
  report.step = context.versions.committed().step;
  report.loss = tally_.samples > 0 ? tally_.loss_sum / static_cast<double>(tally_.samples) : 0;
  report.learning_rate = context.learning_rate;
  report.samples = std::llround(static_cast<double>(tally_.samples) * part);
  if (tally_.correct >= 0)
    report.correct = std::min<std::int64_t>(std::llround(static_cast<double>(tally_.correct) * part), report.samples);
  tally_.counts.add_to(report);
  report.strategy = context.plan.strategy;
  report.deterministic = false;
  report.seconds.step = seconds;
  report.seconds.apply_all = std::min(tally_.apply_seconds, seconds);
  report.seconds.compute_all = seconds - report.seconds.apply_all;
  for (const int worker : context.members.workers()) {
    report.seconds.compute.push_back(tally_.compute_seconds[worker]);
    report.seconds.data.push_back(tally_.data_seconds[worker]);
  }
  report.bytes_sent = tally_.bytes_sent;
  report.asynchronous = {staleness_of(tally_.staleness),
                         {},
                         tally_.bytes_fetched,
                         tally_.bytes_pushed,
                         recorder_ ? recorder_->failure() : ""};
  for (auto& [worker, traffic] : tally_.traffic) {
    traffic.worker = worker;
    report.asynchronous.workers.push_back(traffic);
  }
  const Tally before = std::exchange(tally_, {});
  tally_.gradients = before.gradients - wanted;
  tally_.samples = before.samples - report.samples;
  tally_.correct = before.correct < 0 ? before.correct : before.correct - report.correct;
  tally_.loss_sum = before.loss_sum - report.loss * static_cast<double>(report.samples);
  return report;
}

}  // namespace troupe
