#include "actors/driver/driver.hpp"

#include <new>
#include <utility>

#include "actors/driver/algorithm_change.hpp"
#include "actors/driver/checkpoints/loading.hpp"
#include "actors/driver/gathered_evaluation.hpp"
#include "actors/driver/option_checks.hpp"
#include "runtime/invalid.hpp"
#include "runtime/log.hpp"
#include "runtime/processes/limits.hpp"

namespace troupe {

Driver::Driver(ModelCreator creator, Options options, MakeRuntime make_runtime)
    : run_(std::move(creator), std::move(options), std::move(make_runtime)),
      copies_(run_),
      nodes_(run_, copies_),
      members_(run_, nodes_),
      state_(run_, members_, nodes_),
      files_(run_, members_, nodes_, state_) {
  try {
    start();
  } catch (const std::bad_alloc&) {
    run_.end();
    throw no_memory("the driver cannot start");
  } catch (...) {
    run_.end();
    throw;
  }
}

Driver::~Driver() {
  if (const std::size_t left = run_.faults.left(); left > 0)
    log_line(LogLevel::warning, std::to_string(left) + " of the faults in the plan have not happened");
  files_.close();
  if (!run_.formed || run_.node_lost() || run_.rules().replaces_workers()) return;
  run_.abandon_algorithm();
  copies_.drop();
}

void Driver::start() {
  nodes_.form(members_.initial_workers());
  run_.settle(Needs::members);
  nodes_.note_nodes();
  resume(run_);
}

StepReport Driver::step(bool rehearse) {
  if (const auto error = std::exchange(copy_error_, std::nullopt)) throw Error(*error);
  files_.throw_final();
  run_.rules().replaces_workers() ? members_.follow_cores() : follow_nodes();
  if (!run_.lost_at) end_warm_start(run_, copies_);
  ++run_.calls;
  const std::int64_t before = run_.steps_done();
  StepReport report;
  members_.make_ready(Needs::step, [&] { report = run_.take_step(rehearse); });
  report.repairs = members_.end_step(rehearse);
  report.nodes = nodes_.take_report();
  report.asynchronous.lost_pushes = copies_.take_lost_pushes();
  if (rehearse) return report;
  report.copies = copy_state(report.step - before, report.seconds.step);
  report.checkpoint = files_.advance(before, report.step, report.seconds.step);
  return report;
}

void Driver::follow_nodes() {
  const auto expected = nodes_.changed_nodes();
  if (!expected) return;
  try {
    preserve_state() ? nodes_.expect(*expected) : nodes_.postpone();
  } catch (const Error& error) {  // the step itself can be made; a lost node is noticed by it
    log_line(LogLevel::warning, std::string("no node can join or leave the run now: ") + error.what(), error.where());
    nodes_.postpone();
  }
}

bool Driver::preserve_state() {
  const bool all_leave = std::ssize(run_.formed->host().leavers()) == run_.formed->members().num_nodes();
  if (run_.saves_checkpoints() && (all_leave || !copies_.are_made())) files_.checkpoint(std::nullopt);
  if (!copies_.are_made()) return run_.saves_checkpoints() && !run_.lost_at;
  if (run_.algorithm->has_servers()) members_.make_ready(Needs::members);
  return !run_.lost_at && copies_.make_now();
}

CopyReport Driver::copy_state(std::int64_t steps, double seconds) {
  if (!copies_.are_made() || !run_.formed) return {};
  return run_.algorithm->has_servers() ? copy_servers(steps, seconds) : copies_.advance(steps, seconds);
}

CopyReport Driver::copy_servers(std::int64_t steps, double seconds) {
  const Stopwatch watch;
  if (copies_.is_due(steps, seconds)) try {
      members_.make_ready(Needs::members);
      copies_.note_rest(watch.seconds());
      copies_.make_now();
    } catch (const Error& error) {  // the step is committed, so the next step reports the error
      copies_.fail(error);
      const bool loss = error.code() == ErrorCode::worker_lost || error.code() == ErrorCode::timeout;
      if (!loss) copy_error_ = error;
    }
  return copies_.report(watch.seconds());
}

void Driver::set_learning_rate(double rate) {
  check_learning_rate(rate, "the learning rate");
  run_.set_rates.set(run_.steps_done(), rate);
}

void Driver::use(Algorithm algorithm) {
  Options changed = run_.options;
  changed.algorithm = std::move(algorithm);
  if (traits_of(changed.algorithm).warm_start != 0)
    throw_invalid("warm_start can only be set in the options of a run, not for a change of the algorithm");
  make_paths_absolute(changed.algorithm);
  check_algorithm(changed);
  check_servers(changed);
  members_.make_ready(Needs::members);
  auto next = make_runner(changed);
  if (!traits_of(changed.algorithm).built_for.frozen && !run_.preparation.built_for().frozen) next->check(run_.model());
  run_.finish_checkpoint();  // with members that work for the present algorithm
  Options options = std::exchange(run_.options, std::move(changed));
  auto warm_start = run_.algorithm.take_awaited();
  AlgorithmChange change(run_, std::move(next));
  try {
    // In a cluster, if the run has lost a node, do not form the run again here. It would be formed with the new options
    // before the change has succeeded.
    run_.rules().replaces_workers() ? members_.make_ready(Needs::members) : run_.settle(Needs::members);
  } catch (...) {
    run_.options = std::move(options);
    change.undo();
    if (warm_start) await_warm_start(run_, std::move(warm_start));
    throw;
  }
  run_.lineage.edit();
}

std::int64_t Driver::steps_per_epoch() const {
  return run_.algorithm.passes() ? 1 : run_.model().traits.steps_per_epoch;
}

std::vector<Json> Driver::call_model(const std::string& name, const Json& arguments, bool first_only) {
  const NamedCall call(name, arguments);
  members_.make_ready(Needs::members);
  const Phase at = run_.phase("call", run_.options.timeouts.call);
  const int buffer = run_.versions.buffer();
  if (first_only) return {calls().on_first_replica(call, buffer, at)};
  return calls().on_replicas(call, buffer, at);
}

std::vector<Json> Driver::call_worker(const std::string& name, const Json& arguments) {
  const NamedCall call(name, arguments);
  members_.make_ready(Needs::members);
  return calls().on_workers(call, run_.phase("call", run_.options.timeouts.call));
}

Evaluation Driver::evaluate(EvaluationSet set, const EvaluationOptions& measure) {
  if (measure.top_k < 0) throw_invalid("EvaluationOptions::top_k is " + std::to_string(measure.top_k));
  Evaluation evaluation;
  members_.make_ready(Needs::members, [&] {
    const Evaluate request{0,
                           run_.versions.buffer(),
                           run_.versions.committed().step,
                           static_cast<std::int32_t>(set),
                           measure.confusion,
                           measure.top_k,
                           measure.errors};
    FormedRun& formed = *run_.formed;
    evaluation = evaluate_on(formed.members(), formed.rounds(), formed.transfers(), request, measure,
                             run_.phase("evaluate", run_.options.timeouts.evaluate));
  });
  const std::string name = set == EvaluationSet::test ? "test" : "validation";
  if (evaluation.samples == 0)
    throw Error(ErrorCode::bad_data,
                unit() == "tokens" ? "there is no " + name + " set to evaluate, or none of its tokens has a label"
                                   : "there is no " + name +
                                         " set to evaluate, or none of its samples can be read: set TrainingData::" +
                                         name + ", or override Model::evaluate",
                {.phase = "evaluate"});
  name_measured(evaluation, run_.model().network);
  return evaluation;
}

}  // namespace troupe
