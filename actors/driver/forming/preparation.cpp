#include "actors/driver/forming/preparation.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "actors/driver/forming/building.hpp"
#include "actors/driver/option_checks.hpp"
#include "actors/messages/settle.hpp"
#include "actors/servers/parameter_server.hpp"
#include "runtime/processes/cores.hpp"

namespace troupe {

Preparation::Preparation(ModelCreator creator, const Options& options, const AlgorithmInUse& algorithm,
                         Versions& versions)
    : creator_(std::move(creator)),
      options_(options),
      algorithm_(algorithm),
      versions_(versions),
      precision_(options) {}

void Preparation::prepare(FormedRun& run, bool needs_spare, const Restore& restore, const Phase& start) {
  const Members& members = run.members();
  const bool room = !needs_spare || versions_.spare();
  const bool whole = members.lost_workers().empty() && members.unbuilt_workers().empty();
  if (run.rounds().settled() && whole && run.generation().stands() && room) return;
  const bool broken = !run.host().settles_by_fence() && !run.rounds().settled();
  run.workers().replace_lost(start);
  const bool fresh = !members.unbuilt_workers().empty();
  // From this point, the present generation is invalid until the next one has begun, even if this function fails in
  // between.
  if (fresh || broken) run.generation().fall();
  run.generation().renew_gradients(run.host().ends_the_lost() ? members.unbuilt_workers() : members.workers());
  if (fresh) {
    built_for_ = algorithm_.built_for();
    build(run, members.unbuilt_workers(), start);
  }
  run.rounds().ask(Fence{}, members.workers(), Phase{"settle", start.step, start.deadline});
  if (!run.generation().stands() || !room) begin_generation(run, restore, start);
}

void Preparation::build(FormedRun& run, const std::vector<int>& workers, const Phase& phase) {
  build_replicas(workers, creator_, options_, built_for_, run.members(), run.rounds(), precision_, model_, phase);
}

void Preparation::begin_generation(FormedRun& run, const Restore& restore, const Phase& phase) {
  algorithm_.check(*model_, built_for_);
  const StateDescription state = this->state();
  run.generation().reshape(state.shape, state.outer);
  const FlatSize size{model_->traits.size, model_->traits.learned_size};
  run.generation().begin(plan_request_of(options_, run.members().topology()), size, run.members(), run.rounds(),
                         run.home(), versions_, phase, algorithm_->has_servers());
  run.transfers().begin(run.generation().layout());
  largest_store_ = run.generation().largest_store(run.home().in_parts());
  find_servers(run);
  if (versions_.any()) return;
  const int buffer = *versions_.spare();
  const std::optional<Version> restored = restore(buffer, phase);
  if (!restored) run.transfers().initialize(size.all, buffer, phase);
  versions_.commit(buffer, restored.value_or(Version{}));
}

void Preparation::find_servers(FormedRun& run) {
  servers_.clear();
  if (!algorithm_->has_servers()) return;
  if (!run.home().in_parts()) return start_servers(run);
  const Plan& plan = run.generation().plan();
  const Members& members = run.members();
  for (const int member : members.nodes())
    if (!plan.slice_of_node(members.node_of(member)).empty()) servers_.push_back(member);
}

void Preparation::start_servers(FormedRun& run) {
  const int wanted = algorithm_.servers() > 0 ? algorithm_.servers() : usable_cores();
  const Topology& topology = run.generation().plan().topology;
  const auto exchange =
      std::make_shared<ServerExchange>(run.home().served(), topology, options_.compute.devices_per_worker);
  std::vector<std::shared_ptr<ParameterServer>> servers;
  for (const Range& slice : page_slices(model_->traits.size, static_cast<std::size_t>(wanted)))
    if (!slice.empty())
      servers.push_back(std::make_shared<ParameterServer>(run.home().served(), exchange, topology.num_shards, slice,
                                                          model_->traits.learned_size, settings_of(options_)));
  for (const caf::actor& server : run.host().start_servers(servers)) {
    servers_.push_back(Members::member_of_server(static_cast<int>(servers_.size())));
    run.mailbox().unseat(servers_.back());
    run.mailbox().seat(servers_.back(), server);
  }
}

std::int64_t Preparation::state_bytes() const {
  SlabLayout layout = largest_store_;
  const std::size_t now = layout.state_bytes();
  if (const AlgorithmRunner* const awaited = algorithm_.awaited())
    static_cast<StateShape&>(layout) = algorithm_.state_of(*awaited, steps_per_epoch()).shape;
  return static_cast<std::int64_t>(std::max(now, layout.state_bytes()));
}

}  // namespace troupe
