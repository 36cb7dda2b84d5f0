#include "actors/driver/driver.hpp"

#include <algorithm>
#include <utility>

#include "actors/driver/checkpoints/resumption.hpp"
#include "actors/driver/gathered_evaluation.hpp"
#include "actors/driver/option_checks.hpp"
#include "actors/messages/options_json.hpp"
#include "runtime/invalid.hpp"
#include "runtime/log.hpp"
#include "runtime/processes/cores.hpp"
#include "runtime/processes/limits.hpp"
#include "runtime/random.hpp"

namespace troupe {
namespace {

/// Checks and completes `options`, and then returns `creator`.
ModelCreator checked(Options& options, ModelCreator creator) {
  adopt_shards(options);
  check_options(options, creator);
  return creator;
}

/// Returns whether the configuration of a built-in model names data on a server.
bool reads_from_server(const std::string& config) {
  return std::ranges::any_of(std::initializer_list<const char*>{"http://", "https://", "s3://"},
                             [&](const char* scheme) { return config.find(scheme) != std::string::npos; });
}

}  // namespace

Driver::Driver(ModelCreator creator, Options options, MakeRuntime make_runtime)
    : make_runtime_(std::move(make_runtime)),
      options_(std::move(options)),
      optimizer_(settings_of(options_)),
      algorithm_(options_, optimizer_),
      preparation_(checked(options_, std::move(creator)), options_, algorithm_, versions_),
      elasticity_(options_, rules().on_one_machine() ? usable_cores() : options_.num_workers.max),
      losses_(options_.fault_tolerance.max_failures, rules(), elasticity_),
      lineage_(options_.checkpoint.keep),
      copies_(options_.fault_tolerance.copy_every, drawn_name()) {
  algorithm_
      .begin();  // only after all options are checked, so that a run with invalid options does not change a record file
  faults_ = FaultInjection(fault_plan_of(options_));
  // Reserve buffers for pinned versions: one for each worker that may be left out of a step, and one for a periodic
  // checkpoint.
  versions_.reserve(options_.fault_tolerance.backup_workers + (is_periodic(options_.checkpoint) ? 1 : 0));
  prepare_checkpoints();
  try {
    start();
  } catch (const std::bad_alloc&) {
    end_run();
    throw no_memory("the driver cannot start");
  } catch (...) {
    end_run();
    throw;
  }
}

Driver::~Driver() {
  if (faults_.left() > 0)
    log_line(LogLevel::warning, std::to_string(faults_.left()) + " of the faults in the plan have not happened");
  checkpoints_.reset();
  if (run_ && !node_lost() && !rules().replaces_workers()) {
    abandon_algorithm();
    copies_.drop(*run_);
  }
  end_run();
}

void Driver::start() {
  form();
  settle(Needs::members);
  note_nodes();
  resume();
}

void Driver::form() {
  Generation generation(drawn_name(), to_json(settings_of(options_)), optimizer_.state_vectors(),
                        options_.fault_tolerance.backup_workers > 0);
  run_ = std::make_unique<FormedRun>(make_runtime_(hosting_of(options_), elasticity_.initial()),
                                     preparation_.creator().function(), std::move(generation));
  if (faults_.any())
    run_->rounds().disturb_by([this, &run = *run_](const Phase& at) {
      faults_.let_happen(at, algorithm_->steps_a_call(), run.host(), run.members());
    });
  NeededCopies needed;
  if (will_restore_copy()) {
    needed.suffice = [this](const std::vector<JoinedNode>& nodes) { return copies_.suffice(nodes); };
    needed.are_on = [this](const JoinedNode& node) { return copies_.are_on(node); };
  }
  run_->host().gather(expected_nodes_, needed, Deadline(options_.timeouts.start));
}

void Driver::settle_members(Needs needs) {
  const auto restore = [this](int buffer, const Phase& at) -> std::optional<Version> {
    if (!will_restore_copy()) return std::nullopt;
    return restore_copy(buffer, at);
  };
  try {
    preparation_.prepare(*run_, needs != Needs::members, restore, phase("start", options_.timeouts.start));
  } catch (const Error& error) {
    if (error.code() != ErrorCode::timeout || !reads_from_server(options_.config)) throw;
    throw Error(error.code(),
                error.message() +
                    "; if it makes the index of data on a server, make it before with `troupe data show`, "
                    "or set timeouts.start (--start-timeout)",
                error.where());
  }
}

void Driver::settle(Needs needs) {
  const bool goes_on = algorithm_->under_way() && !algorithm_->must_rest();
  if (needs == Needs::step && goes_on && goes_on_meanwhile()) return;
  if (algorithm_->under_way()) rest();
  settle_members(needs);
  if (needs != Needs::step && !algorithm_->whole()) make_whole();
}

void Driver::make_ready(Needs needs, const std::function<void()>& work) {
  std::vector<Stopwatch> losses;
  for (bool settling = false;; settling = false) {
    for (int noted = note_untold(/*replaced=*/false); noted > 0; --noted) losses.emplace_back();
    try {
      // Report a failure of the algorithm before lost workers are replaced, because `note_loss` must first decide
      // whether they are replaced.
      algorithm_->tell_failure();
      if (lost_at_) form_again();
      settling = true;
      settle(needs);
      settling = false;
      for (auto repair = losses_.repairs().end(); !losses.empty(); losses.pop_back())
        (--repair)->seconds = losses.back().seconds();
      return work();
    } catch (const Error& error) {
      losses.emplace_back();
      // If a worker does not start in time, treat its node as lost.
      const bool loss = settling && can_form_again() && members_lost(error);
      note_loss(loss ? Error(ErrorCode::worker_lost, error.message(), error.where()) : error);
    }
  }
}

/// Ends the call: throws `error`, and discards all losses that were not reported yet.
void Driver::give_up(const Error& error) {
  if (run_) run_->rounds().forget_untold();
  throw Error(error);
}

void Driver::note_loss(const Error& error) {
  const bool replaces = rules().replaces_workers();
  const bool loss = error.code() == ErrorCode::worker_lost || node_lost();
  if (!loss || (!replaces && !can_form_again())) give_up(error);
  if (!replaces) expect_survivors(error);
  try {
    losses_.take(error, run_ ? &run_->members() : nullptr, [this](int blamed) { drop_lost(blamed); });
  } catch (const Error& final) {
    give_up(final);
  }
}

int Driver::note_untold(bool replaced) {
  if (!run_) return 0;
  return losses_.note_untold(run_->rounds(), run_->members(), replaced, [this](int blamed) { drop_lost(blamed); });
}

StepReport Driver::step(bool rehearse) {
  if (const auto error = std::exchange(copy_error_, std::nullopt)) throw Error(*error);
  if (checkpoints_) checkpoints_->throw_final();
  rules().replaces_workers() ? follow_cores() : follow_nodes();
  if (!lost_at_) end_warm_start();
  ++calls_;
  const std::int64_t before = steps_done();
  StepReport report;
  make_ready(Needs::step, [&] { report = take_step(rehearse); });
  note_untold(/*replaced=*/true);
  if (!rehearse) report.repairs = losses_.take_repairs();
  losses_.note_progress();
  report.nodes = std::exchange(nodes_report_, {});
  if (!rehearse) report.copies = copy_state(report.step - before, report.seconds.step);
  if (checkpoints_ && !rehearse && run_)
    report.checkpoint = checkpoints_->advance(before, report.step, report.seconds.step);
  return report;
}

void Driver::follow_nodes() {
  if (lost_at_ || !run_ || node_lost()) return;
  const Host& host = run_->host();
  const auto expected = node_changes_.due(host.newcomers(), static_cast<int>(host.leavers().size()),
                                          run_->members().num_nodes(), options_.cluster.num_nodes, Clock::now());
  if (!expected) return;
  try {
    if (!preserve_state()) return node_changes_.postpone(Clock::now());
  } catch (const Error& error) {  // the step itself can be made; a lost node is noticed by it
    log_line(LogLevel::warning, std::string("no node can join or leave the run now: ") + error.what(), error.where());
    return node_changes_.postpone(Clock::now());
  }
  expected_nodes_ = *expected;
  loss_.reset();
  lost_at_ = steps_done();
}

bool Driver::preserve_state() {
  const bool all_leave = std::ssize(run_->host().leavers()) == run_->members().num_nodes();
  if (checkpoints_ && (all_leave || !can_be_copied())) checkpoint(std::nullopt);
  if (!can_be_copied()) return checkpoints_ && !lost_at_;
  if (algorithm_->has_servers()) make_ready(Needs::members);
  return !lost_at_ && make_copy();
}

CopyReport Driver::copy_state(std::int64_t steps, double seconds) {
  if (!can_be_copied() || !run_) return {};
  if (algorithm_->has_servers()) return copy_servers(steps, seconds);
  return copies_.advance(*run_, versions_, lineage_.edits(), steps, seconds, options_.timeouts.save);
}

CopyReport Driver::copy_servers(std::int64_t steps, double seconds) {
  const Stopwatch watch;
  if (copies_.is_due(lineage_.edits(), steps, versions_.committed().step, seconds)) try {
      make_ready(Needs::members);
      copies_.note_rest(watch.seconds());
      make_copy();
    } catch (const Error& error) {  // the step is committed, so the next step reports the error
      copies_.fail(error);
      const bool loss = error.code() == ErrorCode::worker_lost || error.code() == ErrorCode::timeout;
      if (!loss) copy_error_ = error;
    }
  return copies_.report(watch.seconds());
}

bool Driver::make_copy(bool again) {
  const std::int64_t pushes = algorithm_->pushes();
  if (!copies_.make_now(*run_, versions_, lineage_.edits(), again, options_.timeouts.save)) return false;
  copied_pushes_ = pushes;
  return true;
}

bool Driver::can_be_copied() const {
  return !rules().replaces_workers() && copies_.supports(preparation_.state().shape);
}

bool Driver::will_restore_copy() const {
  return lost_at_ && copies_.has(lineage_.edits()) && copies_.step() >= lineage_.newest_step();
}

void Driver::set_learning_rate(double rate) {
  check_learning_rate(rate, "the learning rate");
  set_rates_.set(steps_done(), rate);
}

std::vector<Json> Driver::call_model(const std::string& name, const Json& arguments, bool first_only) {
  const NamedCall call(name, arguments);
  make_ready(Needs::members);
  const Phase at = phase("call", options_.timeouts.call);
  if (first_only) return {calls().on_first_replica(call, versions_.buffer(), at)};
  return calls().on_replicas(call, versions_.buffer(), at);
}

std::vector<Json> Driver::call_worker(const std::string& name, const Json& arguments) {
  const NamedCall call(name, arguments);
  make_ready(Needs::members);
  return calls().on_workers(call, phase("call", options_.timeouts.call));
}

Evaluation Driver::evaluate(EvaluationSet set, const EvaluationOptions& measure) {
  if (measure.top_k < 0) throw_invalid("EvaluationOptions::top_k is " + std::to_string(measure.top_k));
  Evaluation evaluation;
  make_ready(Needs::members, [&] {
    const Evaluate request{0,
                           versions_.buffer(),
                           versions_.committed().step,
                           static_cast<std::int32_t>(set),
                           measure.confusion,
                           measure.top_k,
                           measure.errors};
    evaluation = evaluate_on(run_->members(), run_->rounds(), run_->transfers(), request, measure,
                             phase("evaluate", options_.timeouts.evaluate));
  });
  const std::string name = set == EvaluationSet::test ? "test" : "validation";
  if (evaluation.samples == 0)
    throw Error(ErrorCode::bad_data,
                unit() == "tokens" ? "there is no " + name + " set to evaluate, or none of its tokens has a label"
                                   : "there is no " + name +
                                         " set to evaluate, or none of its samples can be read: set TrainingData::" +
                                         name + ", or override Model::evaluate",
                {.phase = "evaluate"});
  name_measured(evaluation, model().network);
  return evaluation;
}

void Driver::read_weights(const ReadFloats& use) {
  HeldFloats weights;
  if (rules().replaces_workers())
    make_ready(Needs::members, [&] {
      const VectorPart all{kWeightsVector, 0, total_size(model().tensors)};
      weights = run_->transfers().fetch(all, versions_.buffer(), saving("weights"));
    });
  else
    weights = fetch_weights_of_nodes();
  use(weights.floats);
}

void Driver::read_pinned(Versions::PinId pin, int vector, const ReadFloats& use, const char* name) {
  if (!versions_.holds(pin))
    throw Error(ErrorCode::worker_lost, "the pinned version was lost with the run that lost a node", {.phase = name});
  const auto buffer = [&] { return versions_.buffer_of(pin); };
  const HeldFloats floats = rules().replaces_workers()
                                ? fetch_pinned(pin, {vector, 0, total_size(model().tensors)}, name)
                                : fetch_of_nodes(vector, buffer, name);
  use(floats.floats);
}

HeldFloats Driver::fetch_pinned(Versions::PinId pin, const VectorPart& part, const char* name) {
  HeldFloats floats;
  const auto fetch = [&] { floats = run_->transfers().fetch(part, versions_.buffer_of(pin), saving(name)); };
  if (rules().replaces_workers()) {
    make_ready(Needs::members, fetch);
    return floats;
  }
  // In a cluster, do not form the run again here: if the run has lost a node, the checkpoint is dropped. `make_whole`
  // need not be called, because the weights of a pinned version are complete on every node.
  if (algorithm_->under_way()) rest();
  settle_members(Needs::members);
  fetch();
  return floats;
}

Versions::PinId Driver::pin() {
  if (algorithm_->under_way() || !algorithm_->whole()) make_ready(Needs::members);
  if (!versions_.any())
    throw Error(ErrorCode::worker_lost, "the run has lost a node and has not been formed again yet");
  if (versions_.live().size() + 2 > kMostBuffers)
    throw Error(ErrorCode::unsupported, "too many versions are pinned for the limit of buffers");
  return versions_.pin();
}

void Driver::set_weights(std::span<const float> values) {
  if (values.size() != total_size(model().tensors))
    throw Error(ErrorCode::model_mismatch, std::to_string(values.size()) + " weights for a model of " +
                                               std::to_string(total_size(model().tensors)));
  make_ready(Needs::spare_buffer, [&] {
    const Phase at = saving("set_weights");
    const int buffer = *versions_.spare();
    const auto fill = [&](std::span<float> floats) { std::ranges::copy(values, floats.begin()); };
    Transfers::Writing(run_->transfers(), values.size(), model().traits.size).write(fill, kWeightsVector, buffer, at);
    if (run_->generation().layout().num_vectors() > 1) run_->transfers().clear(buffer, at);
    versions_.commit(buffer, {versions_.committed().step, 0});
    algorithm_->forget();
  });
  lineage_.edit();
}

std::vector<int> Driver::worker_pids() const {
  std::vector<int> pids;
  if (!run_) return pids;
  for (const int worker : run_->members().workers()) pids.push_back(run_->host().pid(worker));
  return pids;
}

int Driver::num_workers() const { return run_ ? run_->members().num_workers() : options_.num_workers.max; }

void Driver::resize(int num_workers) {
  if (!rules().replaces_workers())
    throw Error(ErrorCode::unsupported, "the number of workers of a cluster cannot change");
  if (num_workers < 1 || num_workers > options_.num_shards / options_.compute.devices_per_worker)
    throw_invalid(std::to_string(num_workers) + " workers of " + std::to_string(options_.compute.devices_per_worker) +
                  " devices; a run with " + std::to_string(options_.num_shards) + " shards can have 1 to " +
                  std::to_string(options_.num_shards / options_.compute.devices_per_worker));
  if (std::int64_t{num_workers} * options_.compute.devices_per_worker > kMostReplicas)
    throw_invalid("more than the " + std::to_string(kMostReplicas) + " replicas that one run can have");
  if (algorithm_->under_way()) make_ready(Needs::members);
  const std::vector<int> before = run_->members().workers();
  run_->workers().deal_to(num_workers, steps_done() + 1);
  losses_.expect(run_->workers().all_but(before));
  try {
    make_ready(Needs::members);
    losses_.expect({});
  } catch (...) {
    for (const int worker : losses_.take_newcomers()) run_->workers().drop(worker, steps_done() + 1);
    run_->workers().deal_to(static_cast<int>(before.size()), steps_done() + 1);
    throw;
  }
}

void Driver::drop_lost(int blamed) {
  try {
    if (algorithm_->under_way()) rest();  // pushes that are in progress belong to the present assignment of shards
  } catch (const Error&) {
    // If `rest` failed because other workers are lost, they are dropped below, or the next round detects them.
  }
  run_->workers().drop_lost(blamed, elasticity_.least(), steps_done() + 1);
}

void Driver::follow_cores() {
  if (!elasticity_.is_due(Clock::now())) return;
  const auto wanted = elasticity_.follow(usable_cores());
  if (!wanted || *wanted == num_workers()) return;
  try {
    resize(*wanted);
  } catch (const Error& error) {
    // The run keeps its present workers. The failure is not an error, because the user did not request this change.
    log_line(LogLevel::warning, "the run continues with " + std::to_string(num_workers()) + " workers: " + error.what(),
             error.where());
  }
}

void Driver::end_run() noexcept {
  if (run_) abandon_algorithm();
  run_.reset();
}

}  // namespace troupe
