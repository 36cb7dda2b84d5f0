#include "actors/algorithms/step_seconds.hpp"

#include <algorithm>

#include "actors/rounds/reply_checks.hpp"

namespace troupe {
namespace {

double median_of(std::vector<double> values) {
  const std::size_t half = values.size() / 2;
  std::ranges::nth_element(values, values.begin() + static_cast<std::ptrdiff_t>(half));
  const double upper = values[half];
  if (values.size() % 2 == 1) return upper;
  return (upper + *std::max_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(half))) / 2;
}

}  // namespace

Slowest slowest_of(const std::vector<int>& workers, const std::vector<double>& seconds) {
  if (workers.size() < 2) return {};
  const auto slowest = std::ranges::max_element(seconds) - seconds.begin();
  std::vector<double> others = seconds;
  others.erase(others.begin() + slowest);
  const auto at = static_cast<std::size_t>(slowest);
  return {workers[at], seconds[at], median_of(std::move(others))};
}

void note_pass(const PassReport& pass, StepReport& report) {
  if (report.seconds.compute.empty()) report.correct = 0;
  add_correct(pass.correct, report.correct);
  report.seconds.compute.push_back(from_bits(pass.seconds_bits));
  report.seconds.data.push_back(from_bits(pass.data_bits));
  pass.counts.add_to(report);
}

void split_apply(const StepContext& context, const std::vector<From<Applied>>& applied, double both, const Phase& phase,
                 StepReport& report) {
  PhaseSeconds& seconds = report.seconds;
  double least_reduce = both;
  seconds.apply.assign(static_cast<std::size_t>(context.members.num_workers()), 0);
  for (const auto& [worker, reply] : applied) {
    check_reply(reply, context.rounds.where(worker, phase));
    seconds.apply[static_cast<std::size_t>(context.members.rank_of(worker))] = from_bits(reply.apply_bits);
    report.bytes_sent += reply.bytes_sent;
    const double reduce = from_bits(reply.reduce_bits);
    const bool idle = reduce + from_bits(reply.apply_bits) == 0;
    if (!idle) least_reduce = std::min(least_reduce, reduce);
  }
  seconds.reduce = context.gradients != nullptr ? 0 : least_reduce;
  seconds.apply_all = both - seconds.reduce;
}

}  // namespace troupe
