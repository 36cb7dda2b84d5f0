#include <algorithm>

#include "actors/driver/building.hpp"
#include "actors/driver/driver.hpp"
#include "actors/driver/option_checks.hpp"
#include "actors/servers/parameter_server.hpp"
#include "runtime/invalid.hpp"
#include "runtime/processes/cores.hpp"

// A step by whatever algorithm it is made with, and what one whose workers are busy between steps needs.
namespace troupe {

template <class Use>
auto Driver::with_context(const Use& use) {
  const std::function<double(std::int64_t)> rate_at = [this](std::int64_t step) {
    const auto set = set_rates_.at(step);
    return set ? *set : optimizer_.learning_rate(step);
  };
  const double rate = rate_at(versions_.committed().step);
  const StepContext context{options_,
                            runtime_->members,
                            *rounds_,
                            versions_,
                            *model_,
                            optimizer_,
                            generation_->plan(),
                            generation_->appliers(),
                            home_->gradients(),
                            runtime_->host->settles_by_fence(),
                            calls_,
                            std::min(options_.fault_tolerance.backup_workers, num_workers() - 1),
                            rate,
                            servers_,
                            rate_at};
  return use(context);
}

StepReport Driver::take_step(bool rehearse) {
  StepReport report = with_context([&](const StepContext& context) {
    return algorithm_->step(context, Deadline(options_.timeouts.step), rehearse);
  });
  report.algorithm = to_string(after_warm_start_ ? Options().algorithm : options_.algorithm);
  const SlabLayout store = largest_store();
  report.state_bytes = static_cast<std::int64_t>(store.state_bytes());
  report.pinned_bytes = static_cast<std::int64_t>(store.versioned_bytes(versions_.pinned()));
  return report;
}

SlabLayout Driver::largest_store() const {
  SlabLayout layout = generation_->layout();
  const Topology& topology = generation_->plan().topology;
  layout.in_part = options_.placement == Placement::cluster;
  Range most;
  for (int node = 0; node < topology.num_nodes(); ++node)
    if (const Range shards = topology.shards_of_node(node); shards.size() > most.size()) {
      most = shards;
      layout.own = generation_->plan().slice_of_lanes(topology.lanes_of_node(node));
    }
  layout.shards = most;
  return layout;
}

std::int64_t Driver::state_bytes() const {
  SlabLayout layout = largest_store();
  const std::size_t now = layout.state_bytes();
  if (after_warm_start_) static_cast<StateShape&>(layout) = state_of(*after_warm_start_).shape;
  return static_cast<std::int64_t>(std::max(now, layout.state_bytes()));
}

bool Driver::goes_on_meanwhile() {
  Runtime& r = *runtime_;
  const std::vector<int> lost = r.members.lost_workers();
  if (lost.empty()) return true;
  if (options_.placement == Placement::cluster || static_cast<int>(lost.size()) == num_workers()) return false;
  Recovery recovery(*r.host, r.mailbox, r.members, *rounds_);
  for (const int worker : lost) {
    if (coming_.contains(worker)) continue;
    recovery.start(worker);
    coming_.emplace(worker, Deadline(options_.timeouts.start));
  }
  return std::ranges::all_of(lost,
                             [&](int worker) { return recovery.is_coming(worker) && !coming_.at(worker).passed(); });
}

void Driver::rest() {
  with_context([&](const StepContext& context) { algorithm_->rest(context, Deadline(options_.timeouts.step)); });
}

void Driver::make_whole() {
  with_context([&](const StepContext& context) { algorithm_->make_whole(context, Deadline(options_.timeouts.step)); });
}

/// It is used when all that it needs is there: a generation with its vectors, and replicas as it wants them.
void Driver::use(Algorithm algorithm) {
  Options changed = options_;
  changed.algorithm = std::move(algorithm);
  if (traits_of(changed.algorithm).warm_start != 0)
    throw_invalid("warm_start is for the options of a run, not for a change");
  make_paths_absolute(changed.algorithm);
  check_algorithm(changed);
  make_ready(Needs::members);
  auto next = make_runner(changed);
  if (!traits_of(changed.algorithm).built_for.frozen && !built_for_.frozen) next->check(*model_);
  const StateShape shape = generation_->layout();
  const Version version = versions_.committed();
  Options options = std::exchange(options_, std::move(changed));
  auto warm_start = std::move(after_warm_start_);
  auto before = begin_algorithm(std::move(next));
  try {
    // Among nodes a run is not formed again by options that it does not have yet.
    options_.placement == Placement::cluster ? settle_run(Needs::members) : make_ready(Needs::members);
  } catch (...) {
    options_ = std::move(options);
    go_back_to(std::move(before), shape, version);
    if (warm_start) await_warm_start(std::move(warm_start));
    throw;
  }
  lineage_.edit();
}

std::int64_t Driver::steps_per_epoch() const {
  return traits_of(options_.algorithm).passes && !after_warm_start_ ? 1 : model_->traits.steps_per_epoch;
}

std::unique_ptr<AlgorithmRunner> Driver::begin_algorithm(std::unique_ptr<AlgorithmRunner> next) {
  if (checkpoints_) checkpoints_->finish();  // of the state as it is
  if (next->has_servers() != algorithm_->has_servers()) generation_->fall();
  std::swap(algorithm_, next);
  after_warm_start_.reset();
  if (built_for() != built_for_) runtime_->members.rebuild();
  const StateDescription state = this->state();
  // Of another state the weights go on; a history never does.
  if (generation_->reshape(state.shape, state.outer) || state.shape.singles > 0)
    versions_.commit(versions_.buffer(), {versions_.committed().step, 0});
  return next;
}

/// From one that could not begin, which it returns. @param shape of the state then, and its version
std::unique_ptr<AlgorithmRunner> Driver::go_back_to(std::unique_ptr<AlgorithmRunner> before, const StateShape& shape,
                                                    const Version& version) {
  auto failed = begin_algorithm(std::move(before));
  // What its state was is there, unless a generation of the other shape has begun.
  if (static_cast<const StateShape&>(generation_->layout()) == shape)
    versions_.commit(versions_.buffer(), version);
  else
    algorithm_->forget();
  return failed;
}

/// Replicas that hear of other requests are no less for synchronous steps.
BuiltFor Driver::built_for() const {
  const BuiltFor built = traits_of(options_.algorithm).built_for;
  return after_warm_start_ ? BuiltFor{.hears = built.hears} : built;
}

void Driver::end_warm_start() {
  const bool over = after_warm_start_ && versions_.committed().step >= traits_of(options_.algorithm).warm_start;
  if (over) begin_algorithm(std::move(after_warm_start_));
}

void Driver::begin_warm_start() {
  const AlgorithmTraits traits = traits_of(options_.algorithm);
  if (after_warm_start_ || traits.warm_start == 0 || traits.has_servers) return;
  after_warm_start_ = make_runner(options_);
  algorithm_ = make_runner({});
}

void Driver::abandon_algorithm() noexcept try {
  if (algorithm_->under_way())
    with_context([&](const StepContext& context) { algorithm_->abandon(context, Deadline(options_.timeouts.step)); });
} catch (const std::exception&) {
  return;  // What is busy still is told to stop, or ended, by who calls this.
}

void Driver::find_servers() {
  servers_.clear();
  if (!algorithm_->has_servers()) return;
  if (options_.placement != Placement::cluster) return start_servers();
  const Plan& plan = generation_->plan();
  const Members& members = runtime_->members;
  for (const int member : members.nodes())
    if (!plan.slice_of_lanes(plan.topology.lanes_of_node(members.node_of(member))).empty()) servers_.push_back(member);
}

void Driver::start_servers() {
  const int told = traits_of(options_.algorithm).servers;
  const int wanted = told > 0 ? told : usable_cores();
  const Topology& topology = generation_->plan().topology;
  const auto exchange =
      std::make_shared<ServerExchange>(home_->served(), topology, options_.compute.devices_per_worker);
  std::vector<std::shared_ptr<ParameterServer>> servers;
  for (const Range& slice : page_slices(model_->traits.size, static_cast<std::size_t>(wanted)))
    if (!slice.empty())
      servers.push_back(std::make_shared<ParameterServer>(home_->served(), exchange, topology.num_shards, slice,
                                                          model_->traits.learned_size, settings_of(options_)));
  for (const caf::actor& server : runtime_->host->start_servers(servers)) {
    servers_.push_back(Members::member_of_server(static_cast<int>(servers_.size())));
    runtime_->mailbox.unseat(servers_.back());
    runtime_->mailbox.seat(servers_.back(), server);
  }
}

}  // namespace troupe
