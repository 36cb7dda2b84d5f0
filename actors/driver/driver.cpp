#include "actors/driver/driver.hpp"

#include <signal.h>

#include <algorithm>
#include <set>
#include <thread>
#include <utility>

#include "actors/driver/building.hpp"
#include "actors/driver/faults/stop_process.hpp"
#include "actors/driver/option_checks.hpp"
#include "actors/driver/resumption.hpp"
#include "actors/messages/call_json.hpp"
#include "actors/messages/options_json.hpp"
#include "actors/messages/settle.hpp"
#include "actors/rounds/reply_checks.hpp"
#include "actors/servers/parameter_server.hpp"
#include "runtime/invalid.hpp"
#include "runtime/log.hpp"
#include "runtime/planted_bug.hpp"
#include "runtime/processes/cores.hpp"
#include "runtime/processes/limits.hpp"
#include "runtime/random.hpp"

namespace troupe {
namespace {

const Options& checked(Options& options, const ModelCreator& creator) {
  adopt_shards(options);
  check_options(options, creator);
  return options;
}

void check_call(const std::string& function, const std::string& argument) {
  if (function.size() > kLongestText) throw_invalid("the function's name is too long");
  if (argument.size() > kMostTextBytes)
    throw_invalid("the function's argument has " + std::to_string(argument.size()) + " bytes, and " +
                  std::to_string(kMostTextBytes) + " can be given");
}

}  // namespace

Driver::Driver(ModelCreator creator, Options options, MakeRuntime make_runtime)
    : creator_(std::move(creator)),
      make_runtime_(std::move(make_runtime)),
      options_(std::move(options)),
      optimizer_(settings_of(options_)),
      algorithm_(make_runner({})),
      elasticity_(checked(options_, creator_), options_.num_workers.is_range() ? usable_cores() : 1),
      precision_(options_),
      budget_(options_.fault_tolerance.max_failures),
      lineage_(options_.checkpoint.keep) {
  // A record is not touched before all options are checked.
  auto wanted = make_runner(options_);
  (traits_of(options_.algorithm).warm_start > 0 ? after_warm_start_ : algorithm_) = std::move(wanted);
  faults_ = fault_plan_of(options_);
  // What is left out computes on a pinned version, and so may a checkpoint be made of one.
  versions_.reserve(options_.fault_tolerance.backup_workers + (is_periodic(options_.checkpoint) ? 1 : 0));
  prepare_checkpoints();
  try {
    start();
  } catch (const std::bad_alloc&) {
    shut_down();
    throw no_memory("the driver cannot start");
  } catch (...) {
    shut_down();
    throw;
  }
}

Driver::~Driver() {
  if (faults_.left() > 0)
    log_line(LogLevel::warning, std::to_string(faults_.left()) + " of the faults in the plan have not happened");
  checkpoints_.reset();
  shut_down();
}

void Driver::start() {
  form();
  settle(Needs::members);
  resume();
}

void Driver::form() {
  runtime_ = make_runtime_(options_, elasticity_.initial());
  Runtime& r = *runtime_;
  r.host = r.make_host(options_, creator_.function());
  rounds_ = std::make_unique<Rounds>(r.mailbox, r.members, *r.host);
  if (!faults_.empty()) rounds_->disturb_by([this](const Phase& at) { let_fail(at); });
  home_ = r.make_state_home(*rounds_);
  transfers_ = std::make_unique<Transfers>(r.members, *rounds_, *home_);
  generation_ = std::make_unique<Generation>(drawn_name(), to_json(settings_of(options_)), optimizer_.state_vectors(),
                                             options_.fault_tolerance.backup_workers > 0);
  r.host->gather(Deadline(options_.timeouts.start));
}

void Driver::settle(Needs needs) {
  if (lost_at_) form_again();
  try {
    settle_run(needs);
  } catch (const Error& error) {
    // A node on which no worker starts in time is as good as lost.
    if (!can_form_again() || !members_lost(error)) throw;
    throw Error(ErrorCode::worker_lost, error.message(), error.where());
  }
}

void Driver::settle_run(Needs needs) {
  const bool goes_on = algorithm_->under_way() && !algorithm_->must_rest();
  if (needs == Needs::step && goes_on && goes_on_meanwhile()) return;
  bring_to_rest(needs);
}

void Driver::bring_to_rest(Needs needs) {
  if (algorithm_->under_way()) rest();
  settle_members(needs);
  if (needs != Needs::step && !algorithm_->whole()) make_whole();
}

void Driver::settle_members(Needs needs) {
  Runtime& r = *runtime_;
  const bool room = needs == Needs::members || versions_.spare();
  const bool whole = r.members.lost_workers().empty() && r.members.unbuilt_workers().empty();
  if (rounds_->settled() && whole && generation_->stands() && room) return;
  const Phase start{"start", versions_.committed().step + 1, Deadline(options_.timeouts.start)};
  const bool broken = !r.host->settles_by_fence() && !rounds_->settled();
  std::set<int> coming;
  for (const auto& [worker, until] : std::exchange(coming_, {})) coming.insert(worker);
  if (!r.members.lost_workers().empty()) Recovery(*r.host, r.mailbox, r.members, *rounds_).replace_lost(start, coming);
  const bool fresh = !r.members.unbuilt_workers().empty();
  // From here on there is none, whatever fails before the next one has begun.
  if (fresh || broken) generation_->fall();
  generation_->renew_gradients(r.host->ends_the_lost() ? r.members.unbuilt_workers() : r.members.workers());
  if (fresh) {
    built_for_ = built_for();
    build_replicas(creator_, options_, built_for_, r.members, *rounds_, precision_, model_, start);
  }
  rounds_->ask(Fence{}, r.members.workers(), Phase{"settle", start.step, start.deadline});
  if (!generation_->stands() || !room) begin_generation(start);
}

void Driver::begin_generation(const Phase& phase) {
  if (!built_for_.frozen) algorithm_->check(*model_);
  if (after_warm_start_ && !traits_of(options_.algorithm).built_for.frozen) after_warm_start_->check(*model_);
  const StateDescription state = this->state();
  generation_->reshape(state.shape, state.outer);
  const FlatSize size{model_->traits.size, model_->traits.learned_size};
  generation_->begin(plan_request_of(options_, runtime_->members.topology()), size, runtime_->members, *rounds_, *home_,
                     versions_, phase, algorithm_->has_servers());
  transfers_->begin(generation_->layout());
  find_servers();
  if (versions_.any()) return;
  const int buffer = *versions_.spare();
  transfers_->initialize(size.all, buffer, phase);
  versions_.commit(buffer, {});
}

int Driver::note_untold(bool replaced) {
  if (options_.placement == Placement::cluster) return 0;
  int noted = 0;
  while (const auto loss = rounds_->untold_loss(replaced)) {
    const Where& where = loss->where();
    const bool allowed = budget_.allows(*loss, Clock::now());
    if (!replaced && elasticity_.drops_lost(allowed)) drop_lost(where.worker);
    const double seconds = repairs_.empty() ? 0 : repairs_.back().seconds;  // of what it was replaced together with
    const bool dropped = !runtime_->members.takes_part(where.worker);
    if (!allowed && !(dropped && elasticity_.drops_lost(allowed))) continue;
    repairs_.push_back({where.worker, where.node, where.phase, loss->message(), dropped, seconds});
    ++noted;
  }
  return noted;
}

void Driver::make_ready(Needs needs, const std::function<void()>& work) { repairing(needs, work); }

/// Who else was lost is as good as told of: the call has failed.
void Driver::give_up(const Error& error) {
  if (rounds_) rounds_->forget_untold();
  throw Error(error);
}

void Driver::note_loss(const Error& error) {
  // A worker of a node goes with its node, which nobody else can replace.
  const bool among_nodes = options_.placement == Placement::cluster;
  const bool loss = error.code() == ErrorCode::worker_lost || node_lost();
  if (!loss || (among_nodes && !can_form_again())) give_up(error);
  if (among_nodes) lost_at_ = steps_done();
  if (planted(PlantedBug::wrong_step_replayed))
    versions_.commit(versions_.buffer(), {versions_.committed().step + 1, versions_.committed().updates});
  const Where& where = error.where();
  if (std::ranges::count(newcomers_, where.worker) > 0) give_up(error);
  const bool allowed = budget_.allows(error, Clock::now());
  if (!among_nodes && elasticity_.drops_lost(allowed)) drop_lost(where.worker);
  const bool dropped = !among_nodes && !runtime_->members.takes_part(where.worker);
  if (!allowed && !dropped) give_up(budget_.spent());
  repairs_.push_back({among_nodes ? -1 : where.worker, where.node, where.phase, error.message(), dropped});
  std::this_thread::sleep_for(budget_.pause());
}

void Driver::let_fail(const Phase& phase) {
  using Kind = FaultPlan::Fault::Kind;
  Host& host = *runtime_->host;
  std::erase_if(slowed_,
                [&](const auto& each) { return until_.contains(each.first) && until_[each.first] <= phase.step; });
  for (const FaultPlan::Fault& fault :
       faults_.due(phase.name, phase.step, phase.step + algorithm_->steps_a_call() - 1)) {
    if (fault.kind == Kind::cut) {
      host.cut_off(fault.node);
      continue;
    }
    if (!runtime_->members.takes_part(fault.worker) || runtime_->members.lost(fault.worker)) continue;
    const int pid = host.pid(fault.worker);
    if (pid <= 0) continue;
    slowed_.erase(fault.worker);  // it would let go on what is stopped
    until_.erase(fault.worker);
    if (fault.kind != Kind::slow) {
      fault.kind == Kind::kill ? static_cast<void>(::kill(pid, SIGKILL)) : stop_process(pid);
      continue;
    }
    slowed_.try_emplace(fault.worker, pid, fault.factor);
    if (fault.until > 0) until_[fault.worker] = fault.until;
  }
}

StepReport Driver::step(bool rehearse) {
  if (checkpoints_) checkpoints_->throw_final();
  follow_cores();
  if (!lost_at_) end_warm_start();
  ++calls_;
  const std::int64_t before = steps_done();
  StepReport report = repairing(Needs::step, [&] { return take_step(rehearse); });
  note_untold(/*replaced=*/true);
  if (!rehearse) report.repairs = std::exchange(repairs_, {});
  budget_.note_progress();
  if (checkpoints_ && !rehearse) report.checkpoint = checkpoints_->advance(before, report.step, report.seconds.step);
  return report;
}

void Driver::set_learning_rate(double rate) {
  check_learning_rate(rate, "the learning rate");
  set_rates_.set(steps_done(), rate);
}

std::vector<Json> Driver::call_model(const std::string& name, const Json& arguments, bool first_only) {
  const std::string argument = call_text(arguments, "the function's arguments");
  check_call(name, argument);
  make_ready(Needs::members);
  std::vector<int> on = runtime_->members.workers();
  if (first_only) on.resize(1);
  const auto texts = first_only ? 1 : static_cast<std::size_t>(options_.compute.devices_per_worker);
  return call(CallModel{0, name, 0, argument.size(), versions_.buffer(), first_only}, argument, on, texts);
}

std::vector<Json> Driver::call_worker(const std::string& name, const Json& arguments) {
  const std::string argument = call_text(arguments, "the function's arguments");
  check_call(name, argument);
  make_ready(Needs::members);
  return call(CallWorker{0, name, 0, argument.size()}, argument, runtime_->members.workers(), 1);
}

template <class Request>
std::vector<Json> Driver::call(Request request, const std::string& argument, const std::vector<int>& on,
                               std::size_t texts_each) {
  const Phase at = phase("call", options_.timeouts.call);
  std::vector<From<Called>> replies;
  const auto ask = [&](std::uint64_t transfer) {
    request.argument = transfer;
    replies = rounds_->ask(request, on, at);
  };
  argument.empty() ? ask(0) : transfers_->lend_text(argument, on, ask, at);
  std::vector<Json> returned;
  for (const auto& [worker, called] : replies) {
    const Where where = rounds_->where(worker, at);
    check_reply(called, texts_each, where);
    for (const std::string& text : transfers_->fetch_texts(worker, called.text_bytes, at)) try {
        returned.push_back(call_json(text));
      } catch (const Error& error) {
        throw Error(error.code(), error.message(), where);
      }
  }
  return returned;
}

void Driver::read_weights(const ReadFloats& use) {
  const auto fetch = [&] {
    return transfers_->fetch({kWeightsVector, 0, total_size(model_->tensors)}, versions_.buffer(), saving("weights"));
  };
  const bool among_nodes = options_.placement == Placement::cluster;
  const HeldFloats weights = among_nodes ? fetch_weights_of_nodes() : repairing(Needs::members, fetch);
  use(weights.floats);
}

void Driver::read_pinned(Versions::PinId pin, int vector, const ReadFloats& use, const char* name) {
  if (!versions_.holds(pin))
    throw Error(ErrorCode::worker_lost, "the pinned version went with the run that lost a node", {.phase = name});
  const auto buffer = [&] { return versions_.buffer_of(pin); };
  const bool among_nodes = options_.placement == Placement::cluster;
  const HeldFloats floats = among_nodes ? fetch_of_nodes(vector, buffer, name)
                                        : fetch_pinned(pin, {vector, 0, total_size(model_->tensors)}, name);
  use(floats.floats);
}

HeldFloats Driver::fetch_pinned(Versions::PinId pin, const VectorPart& part, const char* name) {
  const auto fetch = [&] { return transfers_->fetch(part, versions_.buffer_of(pin), saving(name)); };
  if (options_.placement != Placement::cluster) return repairing(Needs::members, fetch);
  // A checkpoint goes with a run that lost a node: who makes it forms no run again. Pinned weights are whole.
  if (algorithm_->under_way()) rest();
  settle_members(Needs::members);
  return fetch();
}

Versions::PinId Driver::pin() {
  if (algorithm_->under_way() || !algorithm_->whole()) make_ready(Needs::members);
  if (!versions_.any()) throw Error(ErrorCode::worker_lost, "the run has lost a node, and is not formed again yet");
  if (versions_.live().size() + 2 > kMostBuffers)
    throw Error(ErrorCode::unsupported, "more versions are pinned than there may be buffers for");
  return versions_.pin();
}

void Driver::set_weights(std::span<const float> values) {
  if (values.size() != total_size(model_->tensors))
    throw Error(ErrorCode::model_mismatch, std::to_string(values.size()) + " weights for a model of " +
                                               std::to_string(total_size(model_->tensors)));
  repairing(Needs::spare_buffer, [&] {
    const Phase at = saving("set_weights");
    const int buffer = *versions_.spare();
    const auto fill = [&](std::span<float> floats) { std::ranges::copy(values, floats.begin()); };
    Transfers::Writing(*transfers_, values.size(), model_->traits.size).write(fill, kWeightsVector, buffer, at);
    if (generation_->layout().num_vectors() > 1) transfers_->clear(buffer, at);
    versions_.commit(buffer, {versions_.committed().step, 0});
    algorithm_->forget();
  });
  lineage_.edit();
}

std::vector<int> Driver::worker_pids() const {
  std::vector<int> pids;
  if (!runtime_) return pids;
  for (const int worker : runtime_->members.workers()) pids.push_back(runtime_->host->pid(worker));
  return pids;
}

void Driver::shut_down() noexcept {
  if (!runtime_) return;
  Runtime& r = *runtime_;
  bool all_stopped = true;
  abandon_algorithm();
  try {
    const auto time = r.host && rounds_ ? r.host->time_at_end() : std::nullopt;
    std::vector<int> living;
    for (const int worker : r.members.workers())
      if (!r.members.lost(worker)) living.push_back(worker);
    if (time && !living.empty()) rounds_->ask(Stop{}, living, Phase{"stop", -1, Deadline(*time)});
  } catch (const std::exception&) {
    all_stopped = false;
  }
  transfers_.reset();
  home_.reset();
  rounds_.reset();
  for (const int worker : r.members.workers()) r.mailbox.unseat(worker);
  if (r.host && !r.host->end_all(all_stopped)) {
    // A replica that hangs cannot be stopped, and waiting for it would hang us as well: all it may touch stays.
    leave_running(std::move(runtime_));
    return;
  }
  runtime_.reset();
}

}  // namespace troupe
