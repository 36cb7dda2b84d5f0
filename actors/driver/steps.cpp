#include <algorithm>

#include "actors/driver/driver.hpp"
#include "actors/driver/option_checks.hpp"
#include "runtime/invalid.hpp"

// The functions of Driver that make steps, change the algorithm, and bring workers to rest that are busy between steps.
namespace troupe {

StepContext Driver::context() {
  const std::function<double(std::int64_t)> rate_at = [this](std::int64_t step) {
    const auto set = set_rates_.at(step);
    return set ? *set : optimizer_.learning_rate(step);
  };
  const double rate = rate_at(versions_.committed().step);
  return {options_,
          run_->members(),
          run_->rounds(),
          versions_,
          model(),
          optimizer_,
          run_->generation().plan(),
          run_->generation().appliers(),
          run_->home().gradients(),
          run_->host().settles_by_fence(),
          calls_,
          std::min(options_.fault_tolerance.backup_workers, num_workers() - 1),
          rate,
          preparation_.servers(),
          rate_at};
}

StepReport Driver::take_step(bool rehearse) {
  StepReport report = algorithm_->step(context(), Deadline(options_.timeouts.step), rehearse);
  report.asynchronous.lost_pushes = std::exchange(lost_pushes_, 0);
  report.algorithm = algorithm_.name();
  report.state_bytes = static_cast<std::int64_t>(preparation_.largest_store().state_bytes());
  report.pinned_bytes = static_cast<std::int64_t>(preparation_.largest_store().versioned_bytes(versions_.pinned()));
  return report;
}

bool Driver::goes_on_meanwhile() {
  const std::vector<int> lost = run_->members().lost_workers();
  if (lost.empty()) return true;
  if (!rules().replaces_workers() || static_cast<int>(lost.size()) == num_workers()) return false;
  return run_->workers().are_coming(options_.timeouts.start);
}

void Driver::rest() { algorithm_->rest(context(), Deadline(options_.timeouts.step)); }

void Driver::make_whole() { algorithm_->make_whole(context(), Deadline(options_.timeouts.step)); }

/// Makes `algorithm` the algorithm of the run, and provides the replicas and the generation that the algorithm needs.
/// If this fails, makes the previous algorithm the run's algorithm again, and throws.
void Driver::use(Algorithm algorithm) {
  Options changed = options_;
  changed.algorithm = std::move(algorithm);
  if (traits_of(changed.algorithm).warm_start != 0)
    throw_invalid("warm_start can only be set in the options of a run, not for a change of the algorithm");
  make_paths_absolute(changed.algorithm);
  check_algorithm(changed);
  check_servers(changed);
  make_ready(Needs::members);
  auto next = make_runner(changed);
  if (!traits_of(changed.algorithm).built_for.frozen && !preparation_.built_for().frozen) next->check(model());
  const StateShape shape = run_->generation().layout();
  const Version version = versions_.committed();
  Options options = std::exchange(options_, std::move(changed));
  auto warm_start = algorithm_.take_awaited();
  auto before = begin_algorithm(std::move(next));
  try {
    // In a cluster, if the run has lost a node, do not form the run again here. It would be formed with the new options
    // before the change has succeeded.
    rules().replaces_workers() ? make_ready(Needs::members) : settle(Needs::members);
  } catch (...) {
    options_ = std::move(options);
    go_back_to(std::move(before), shape, version);
    if (warm_start) await_warm_start(std::move(warm_start));
    throw;
  }
  lineage_.edit();
}

std::int64_t Driver::steps_per_epoch() const { return algorithm_.passes() ? 1 : model().traits.steps_per_epoch; }

std::unique_ptr<AlgorithmRunner> Driver::begin_algorithm(std::unique_ptr<AlgorithmRunner> next) {
  if (checkpoints_) checkpoints_->finish();  // wait for the checkpoint of the current state
  if (next->has_servers() != algorithm_->has_servers()) run_->generation().fall();
  next = algorithm_.exchange(std::move(next));
  preparation_.follow_algorithm(run_->members());
  const StateDescription state = preparation_.state();
  // If the shape of the state changes, only the weights are kept. If the new algorithm is L-BFGS, it always starts
  // without pairs.
  if (run_->generation().reshape(state.shape, state.outer) || state.shape.singles > 0)
    versions_.commit(versions_.buffer(), {versions_.committed().step, 0});
  return next;
}

/// Makes `before` the algorithm of the run again, because the algorithm that replaced it could not begin. Returns the
/// algorithm that replaced it.
/// @param shape the shape of the state with `before`
/// @param version the committed version with `before`
std::unique_ptr<AlgorithmRunner> Driver::go_back_to(std::unique_ptr<AlgorithmRunner> before, const StateShape& shape,
                                                    const Version& version) {
  auto failed = begin_algorithm(std::move(before));
  // The old state still exists, unless a generation with the other algorithm's shape has begun.
  if (static_cast<const StateShape&>(run_->generation().layout()) == shape)
    versions_.commit(versions_.buffer(), version);
  else
    algorithm_->forget();
  return failed;
}

void Driver::end_warm_start() {
  if (!algorithm_.warm_start_is_over(versions_.committed().step)) return;
  begin_algorithm(algorithm_.take_awaited());
  copies_.give_up();  // the steps of the warm start must not be repeated later
}

void Driver::abandon_algorithm() noexcept try {
  if (algorithm_->under_way()) algorithm_->abandon(context(), Deadline(options_.timeouts.step));
} catch (const std::exception&) {
  return;  // Ignore the error: the caller stops or ends members that are still busy.
}

}  // namespace troupe
