#include "actors/driver/run.hpp"

#include <algorithm>
#include <utility>

#include "actors/driver/checkpoints/resumption.hpp"
#include "actors/driver/option_checks.hpp"
#include "actors/messages/options_json.hpp"
#include "runtime/random.hpp"

namespace troupe {
namespace {

/// Checks and completes `options`, and then returns `creator`.
ModelCreator checked(Options& options, ModelCreator creator) {
  adopt_shards(options);
  check_options(options, creator);
  return creator;
}

}  // namespace

Run::Run(ModelCreator creator, Options its_options, MakeRuntime its_make_runtime)
    : make_runtime(std::move(its_make_runtime)),
      options(std::move(its_options)),
      optimizer(settings_of(options)),
      algorithm(options, optimizer),
      preparation(checked(options, std::move(creator)), options, algorithm, versions),
      lineage(options.checkpoint.keep) {
  // Only after all options are checked, so that a run with invalid options does not change a record file.
  algorithm.begin();
  faults = FaultInjection(fault_plan_of(options));
  // Reserve buffers for pinned versions: one for each worker that may be left out of a step, and one for a periodic
  // checkpoint.
  versions.reserve(options.fault_tolerance.backup_workers + (is_periodic(options.checkpoint) ? 1 : 0));
}

void Run::form(int num_workers) {
  Generation generation(drawn_name(), to_json(settings_of(options)), optimizer.state_vectors(),
                        options.fault_tolerance.backup_workers > 0);
  formed = std::make_unique<FormedRun>(make_runtime(hosting_of(options), num_workers), preparation.creator().function(),
                                       std::move(generation));
  if (faults.any())
    formed->rounds().disturb_by([this, &here = *formed](const Phase& at) {
      faults.let_happen(at, algorithm->steps_a_call(), here.host(), here.members());
    });
}

void Run::end() noexcept {
  if (formed) abandon_algorithm();
  formed.reset();
}

void Run::give_up() noexcept {
  end();
  algorithm->forget();
  versions.forget();
}

void Run::settle(Needs needs) {
  const bool goes_on = algorithm->under_way() && !algorithm->must_rest();
  if (needs == Needs::step && goes_on && goes_on_meanwhile()) return;
  if (algorithm->under_way()) rest();
  settle_members(needs);
  if (needs != Needs::step && !algorithm->whole()) algorithm->make_whole(context(), Deadline(options.timeouts.step));
}

void Run::settle_members(Needs needs) {
  preparation.prepare(*formed, needs != Needs::members, restore, phase("start", options.timeouts.start));
}

StepContext Run::context() {
  const std::function<double(std::int64_t)> rate_at = [this](std::int64_t step) {
    const auto set = set_rates.at(step);
    return set ? *set : optimizer.learning_rate(step);
  };
  const double rate = rate_at(versions.committed().step);
  return {options,
          formed->members(),
          formed->rounds(),
          versions,
          model(),
          optimizer,
          formed->generation().plan(),
          formed->generation().appliers(),
          formed->home().gradients(),
          formed->host().settles_by_fence(),
          calls,
          std::min(options.fault_tolerance.backup_workers, num_workers() - 1),
          rate,
          preparation.servers(),
          rate_at};
}

StepReport Run::take_step(bool rehearse) {
  StepReport report = algorithm->step(context(), Deadline(options.timeouts.step), rehearse);
  report.algorithm = algorithm.name();
  report.state_bytes = static_cast<std::int64_t>(preparation.largest_store().state_bytes());
  report.pinned_bytes = static_cast<std::int64_t>(preparation.largest_store().versioned_bytes(versions.pinned()));
  return report;
}

void Run::rest() { algorithm->rest(context()); }

bool Run::goes_on_meanwhile() {
  const std::vector<int> lost = formed->members().lost_workers();
  if (lost.empty()) return true;
  if (!rules().replaces_workers() || static_cast<int>(lost.size()) == num_workers()) return false;
  return formed->workers().are_coming(options.timeouts.start);
}

void Run::abandon_algorithm() noexcept try {
  if (algorithm->under_way()) algorithm->abandon(context());
} catch (const std::exception&) {
  return;
}

std::vector<int> Run::worker_pids() const {
  std::vector<int> pids;
  if (!formed) return pids;
  for (const int worker : formed->members().workers()) pids.push_back(formed->host().pid(worker));
  return pids;
}

bool Run::node_lost() const {
  if (!formed) return false;
  const Members& members = formed->members();
  const std::vector<int> nodes = members.nodes();
  return std::ranges::any_of(nodes, [&](int node) { return members.lost(node); });
}

bool Run::may_come_of_lost_node(const Error& error) const {
  return error.code() == ErrorCode::worker_lost || error.code() == ErrorCode::timeout || node_lost();
}

}  // namespace troupe
