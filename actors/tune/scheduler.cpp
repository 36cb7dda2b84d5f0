#include "actors/tune/scheduler.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "runtime/invalid.hpp"

namespace troupe::tune {
namespace {

class Fifo : public Stopper {
 public:
  bool goes_on(int /*trial*/, std::int64_t /*iteration*/, double /*value*/) override { return true; }
};

/// The stopping variant of asynchronous successive halving (ASHA; Li et al., "A System for Massively Parallel
/// Hyperparameter Tuning", MLSys 2020). Certain iterations are called rungs: grace, grace · reduction, grace ·
/// reduction², and so on. A trial that reaches a rung continues only if its value is among the best fraction
/// 1/reduction of all values at this rung so far. The first trial at a rung always continues, unless its value is NaN
/// or infinite.
class Asha : public Stopper {
 public:
  explicit Asha(const Scheduler& scheduler) : reduction_(scheduler.reduction) {
    for (double at = static_cast<double>(scheduler.grace); at < static_cast<double>(scheduler.max_iterations);
         at *= reduction_)
      if (const auto iteration = static_cast<std::int64_t>(std::ceil(at));
          rungs_.empty() || rungs_.back().iteration != iteration)
        rungs_.push_back({iteration, {}});
  }

  bool goes_on(int trial, std::int64_t iteration, double value) override {
    bool goes_on = true;
    for (Rung& rung : rungs_)
      if (iteration >= rung.iteration && !rung.values.contains(trial))
        goes_on = is_among_best(rung, trial, value) && goes_on;
    return goes_on;
  }

 private:
  struct Rung {
    std::int64_t iteration;
    std::map<int, double> values;  ///< by trial: the trial's value at this rung
  };

  /// Records the value of trial `trial` at a rung, and returns true if the trial continues.
  bool is_among_best(Rung& rung, int trial, double value) const {
    rung.values[trial] = value;
    const auto better =
        static_cast<double>(std::ranges::count_if(rung.values, [&](const auto& each) { return each.second < value; }));
    const double places = std::floor(static_cast<double>(rung.values.size()) / reduction_);
    return std::isfinite(value) && better < std::max(1.0, places);
  }

  double reduction_;
  std::vector<Rung> rungs_;
};

/// Stops a trial at an iteration if the trial's best value so far is worse than a median. It is the median, over the
/// other trials, of the average of a trial's values up to the same iteration. Only trials that have reached this
/// iteration count (Golovin et al., "Google Vizier", KDD 2017, section 3.2.2).
class Median : public Stopper {
 public:
  explicit Median(const Scheduler& scheduler) : grace_(scheduler.grace), least_(scheduler.least_trials) {}

  bool goes_on(int trial, std::int64_t iteration, double value) override {
    auto& own = values_[trial];
    own[iteration] = value;
    if (iteration < grace_) return true;
    std::vector<double> averages;
    for (const auto& [other, values] : values_)
      if (other != trial && values.contains(iteration)) averages.push_back(average(values, iteration));
    if (averages.size() < static_cast<std::size_t>(std::max(1, least_))) return true;
    const auto middle = averages.begin() + static_cast<std::ptrdiff_t>(averages.size() / 2);
    std::ranges::nth_element(averages, middle);
    return best(own, iteration) <= *middle;
  }

 private:
  using Values = std::map<std::int64_t, double>;  ///< by iteration: the reported value

  /// Returns the average of a trial's values up to iteration `until`. NaN counts as infinity, so that an average with
  /// NaN is worse than any number.
  static double average(const Values& values, std::int64_t until) {
    double sum = 0;
    std::int64_t count = 0;
    for (const auto& [iteration, value] : values)
      if (iteration <= until) sum += std::isnan(value) ? HUGE_VAL : value, ++count;
    return sum / static_cast<double>(count);
  }
  static double best(const Values& values, std::int64_t until) {
    double best = HUGE_VAL;
    for (const auto& [iteration, value] : values)
      if (iteration <= until && value < best) best = value;
    return best;
  }

  std::int64_t grace_;
  int least_;
  std::map<int, Values> values_;
};

}  // namespace

std::unique_ptr<Stopper> make_stopper(const Scheduler& scheduler) {
  if (scheduler.grace < 1)
    throw_invalid("a scheduler's grace is " + std::to_string(scheduler.grace) + "; it must be at least 1");
  if (scheduler.max_iterations < 0) throw_invalid("a scheduler's max_iterations must not be negative");
  if (scheduler.kind == SchedulerKind::asha) {
    if (scheduler.max_iterations < 1)
      throw_invalid("asha needs max_iterations: the number of reports of a trial that runs to its end");
    if (!(scheduler.reduction >= 1.1 && std::isfinite(scheduler.reduction)))
      throw_invalid("asha's reduction must be at least 1.1: at each rung one trial in `reduction` continues");
    return std::make_unique<Asha>(scheduler);
  }
  if (scheduler.kind == SchedulerKind::median) {
    if (scheduler.least_trials < 1) throw_invalid("median stopping's least_trials must be at least 1");
    return std::make_unique<Median>(scheduler);
  }
  return std::make_unique<Fifo>();
}

Scheduler fifo() { return {}; }
Scheduler asha(std::int64_t max_iterations, std::int64_t grace, double reduction) {
  return {.kind = SchedulerKind::asha, .max_iterations = max_iterations, .grace = grace, .reduction = reduction};
}
Scheduler median_stopping(std::int64_t grace, int least_trials) {
  return {.kind = SchedulerKind::median, .grace = grace, .least_trials = least_trials};
}

}  // namespace troupe::tune
