#include "actors/algorithms/asynchronous.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <type_traits>
#include <utility>

#include "actors/algorithms/synchronous.hpp"
#include "actors/messages/synchronous.hpp"
#include "actors/rounds/reply_checks.hpp"

namespace troupe {

AsynchronousRunner::AsynchronousRunner(const Clocks::Rules& rules, const ServerFiles& files, int max_staleness)
    : max_staleness_(max_staleness), clocks_(rules), longest_leg_(std::max(rules.fetch_every, rules.push_every)) {
  if (!files.replay.empty()) script_.emplace(files.replay, files.run);
  if (!files.record.empty()) recorder_.emplace(files.record, files.run);
}

Phase AsynchronousRunner::phase(const StepContext& context, const char* name) const {
  return {name, context.versions.committed().step + 1, Deadline(context.options.timeouts.step)};
}

StepReport AsynchronousRunner::step(const StepContext& context, const Deadline& deadline, bool rehearse) {
  const Stopwatch whole;
  if (rehearse) return rehearse_with(context, deadline);
  come_back();
  const Leaving leaving(*this);
  if (refusal_) throw Error(*std::exchange(refusal_, std::nullopt));
  begin(context);
  const auto longest = context.options.timeouts.step * (longest_leg_ + 2);
  // Each request has a timeout of its own. The deadline `last` covers the case that all requests succeed, but no
  // gradient is applied.
  Deadline last(longest);
  for (bool passed = false; !complete(context);) {
    const std::int64_t before = tally_.gradients;
    if (rested_here(context)) {
      rest(context);
      begin(context);
    } else {
      go_on(context);
    }
    const bool applied = tally_.gradients > before;
    if (!applied && !last.passed()) continue;
    if (!applied && passed) throw_late(context);
    // After the first timeout, wait once more: the driver's own process may have been stopped in the meantime.
    passed = !applied;
    last = Deadline(longest);
  }
  const Version& version = context.versions.committed();
  context.versions.commit(context.versions.buffer(), {version.step + 1, version.updates});
  return report_of(context, whole.seconds());
}

/// Returns whether enough gradients for a step are applied: at least one per shard of the run. In a replay, returns
/// true only if the record's next operation is the end of a step, too.
/// @throws Error bad_data if all workers have pushed, but none of their shards had a sample
bool AsynchronousRunner::complete(const StepContext& context) {
  const std::int64_t steps = context.versions.committed().step;
  if (tally_.gradients >= context.plan.topology.num_shards) return is_turn({ServerOperation::Kind::step, -1, steps});
  const std::vector<int> workers = context.members.workers();
  const auto has_pushed = [&](int worker) {
    const auto found = tally_.traffic.find(worker);
    return found != tally_.traffic.end() && found->second.pushes > 0;
  };
  if (tally_.gradients > 0 || !std::ranges::all_of(workers, has_pushed)) return false;
  tally_ = {};
  throw Error(ErrorCode::bad_data, "no shard has a sample at this step", {.phase = "compute", .step = steps + 1});
}

/// Rehearses a step after bringing the members to rest. On one machine, rehearses a synchronous step. In a cluster,
/// rehearses only the computation of gradients, because nodes send gradients to parameter servers and do not exchange
/// them with each other.
StepReport AsynchronousRunner::rehearse_with(const StepContext& context, const Deadline& deadline) {
  if (under_way()) rest(context);
  if (context.members.num_nodes() == 0) return SynchronousRunner().step(context, deadline, /*rehearse=*/true);
  Compute request;
  request.call = context.call;
  request.step = context.versions.committed().step;
  request.buffer = context.versions.buffer();
  request.timeout_ms = deadline.left().count();
  context.rounds.ask(request, context.members.workers(), phase(context, "compute"));
  return {};
}

void AsynchronousRunner::rest(const StepContext& context) {
  come_back();
  const std::int64_t steps = context.versions.committed().step;
  if (script_ && script_->next_rest() != steps) throw script_->other_run();
  // In a replay, first repeat the operations that precede the rest in the record.
  let_held_go(context);
  while (script_ && !tasks_.empty() && script_->next().kind != ServerOperation::Kind::rest) go_on(context);
  if (!is_turn({ServerOperation::Kind::rest, -1, steps})) throw script_->other_run();
  resting_ = true;
  let_held_go(context);
  std::optional<Error> first;
  while (!tasks_.empty()) {
    try {
      go_on(context);
    } catch (const Error& error) {
      // A refused push is not an error for the caller of `rest`, because the state is valid. The next step reports the
      // refusal.
      const bool refusal = error.code() == ErrorCode::non_finite_loss || error.code() == ErrorCode::non_finite_weights;
      auto& kept = refusal ? refusal_ : first;
      if (!kept) kept = error;
    }
  }
  waiting_.clear();
  held_.clear();
  resting_ = begun_ = false;
  const bool whole_record = is_turn({ServerOperation::Kind::rested, -1, steps});
  if (first) throw Error(*first);
  if (!whole_record) throw script_->other_run();
  // After a failed exchange between nodes, the state of connections and windows is unknown. Therefore members are not
  // marked as settled in this case, so that a new generation begins.
  if (!std::exchange(exchange_failed_, false)) context.rounds.settle();
}

void AsynchronousRunner::make_whole(const StepContext& context, const Deadline& deadline) {
  const ShareWeights request{0, context.versions.buffer(), deadline.left().count()};
  context.rounds.ask(request, context.members.nodes(), {"fetch", context.versions.committed().step + 1, deadline});
  whole_ = true;
}

void AsynchronousRunner::abandon(const StepContext& context) {
  whole_ = true;  // no state is left that could be incomplete
  std::erase_if(rounds_, [&](const Round& round) { return tasks_.at(round.number()).is_of_worker(); });
  std::erase_if(tasks_, [](const auto& each) { return each.second.is_of_worker(); });
  rest(context);
}

void AsynchronousRunner::forget() {
  rounds_.clear();
  tasks_.clear();
  waiting_.clear();
  held_.clear();
  unpushed_.clear();
  fetched_.clear();
  own_since_.clear();
  clocks_.keep({});
  tally_ = {};
  refusal_.reset();
  left_at_.reset();
  exchange_failed_ = false;
  begun_ = false;
  whole_ = true;
}

/// Starts all idle workers. In the first step and after a rest, all workers are idle. At other times, a worker is idle
/// if its last push was refused.
void AsynchronousRunner::begin(const StepContext& context) {
  const std::vector<int> workers = context.members.workers();
  if (!std::exchange(begun_, true)) {
    clocks_.keep(workers);
    waiting_.clear();  // all workers are idle, and some workers in `waiting_` may no longer take part
  }
  for (const int worker : workers) {
    if (context.members.lost(worker)) {
      unpushed_.erase(worker);
      clocks_.leave(worker);
      continue;
    }
    const bool busy = std::ranges::any_of(tasks_, [&](const auto& each) { return each.second.worker == worker; });
    if (busy || held_.contains(worker) || std::ranges::count(waiting_, worker) > 0) continue;
    unpushed_.erase(worker);
    clocks_.enter(worker, context.versions.committed().step);
    waiting_.push_back(worker);
  }
  let_waiting_go(context);  // only after the loop, because the clocks of all workers must be known
  let_held_go(context);     // a worker may wait for its turn after the step that was just made
}

void AsynchronousRunner::go_on(const StepContext& context) {
  if (tasks_.empty()) {  // no reply can arrive, because no task is outstanding
    if (script_) throw script_->other_run();
    throw_late(context);
  }
  const auto first = std::ranges::min_element(tasks_, {}, [](const auto& each) { return each.second.deadline.at(); });
  const Deadline& until = first->second.deadline;
  Phase at{first->second.name(), context.versions.committed().step + 1, until};
  try {
    auto next = context.rounds.next_of<Advanced, Pushed>(rounds_, until, at);
    if (!next) {
      exchange_failed_ = exchange_failed_ || (!first->second.is_of_worker() && context.members.num_nodes() > 0);
      const Round round = late(first->first);
      if (round.number() == 0) at.name = "compute";
      context.rounds.time_out(round, at);
    }
    std::visit([&](const auto& reply) { take(context, reply); }, *next);
  } catch (const Error&) {
    forget_hopeless(context);
    throw;
  }
}

void AsynchronousRunner::end(std::uint64_t round) {
  tasks_.erase(round);
  std::erase_if(rounds_, [&](const Round& each) { return each.number() == round; });
}

void AsynchronousRunner::drop(int worker) {
  unpushed_.erase(worker);
  clocks_.push(worker);
}

/// Handles the reply of one member to the request of a task. The task ends when all of its members have answered, even
/// if one of them failed. Until then, no other task may use the data that these members read and write.
/// @throws Error the first error of the task, after its last reply
template <class Reply>
void AsynchronousRunner::take(const StepContext& context, const From<Reply>& from) {
  const std::uint64_t round = from.reply.round;
  Task& task = tasks_.at(round);
  const Phase at = phase(context, task.name());
  const Where where = context.rounds.where(from.member, at);
  try {
    if (from.reply.failure)
      throw context.rounds.failure_of(*std::ranges::find(rounds_, round, &Round::number), from.member,
                                      from.reply.failure, at);
    if (task.is_of_worker() != std::is_same_v<Reply, Advanced>)
      throw Error(ErrorCode::protocol, "a reply to another request", where);
    if constexpr (std::is_same_v<Reply, Advanced>)
      check_reply(from.reply, context.members.shards_of(from.member), where);
    else
      check_reply(from.reply, where);
    note(task, from);
  } catch (const Error& error) {
    exchange_failed_ = exchange_failed_ || (!task.is_of_worker() && context.members.num_nodes() > 0);
    if (!task.error) task.error = error;
  }
  if (--task.awaited > 0) return;
  const Task done = task;
  end(round);
  if (done.error) {
    drop(done.worker);
    throw Error(*done.error);
  }
  done.is_of_worker() ? end_leg(context, done) : end_push(context, done);
}

void AsynchronousRunner::note(Task& task, const From<Advanced>& from) {
  const Advanced& reply = from.reply;
  task.seconds = from_bits(reply.pass.seconds_bits);
  task.refused = !reply.finite;
  task.of_finite_weights = reply.pass.weights_finite;
  Unpushed& unpushed = unpushed_[task.worker];
  for (std::size_t i = 0; i < reply.shards.size(); ++i) {
    const double loss = from_bits(reply.loss_bits[i]);
    task.refused = task.refused || !std::isfinite(loss);
    unpushed.loss_sum += loss;
    unpushed.samples += reply.samples[i];
    if (reply.samples[i] > 0) unpushed.gradients += task.leg.gradients;
  }
  unpushed.seconds += task.seconds;
  unpushed.data_seconds += from_bits(reply.pass.data_bits);
  unpushed.counts += reply.pass.counts;
  add_correct(reply.pass.correct, unpushed.correct);
}

void AsynchronousRunner::note(Task& task, const From<Pushed>& from) {
  if (from.member == task.worker) {  // the reply to `Deliver`: bytes exchanged with servers of other nodes
    tally_.bytes_sent += from.reply.bytes_pushed + from.reply.bytes_fetched;
    return;
  }
  task.seconds = std::max(task.seconds, from_bits(from.reply.seconds_bits));
  task.refused = task.refused || !from.reply.finite;
  if (!from.reply.finite) task.refused_by = from.member;
  tally_.bytes_pushed += from.reply.bytes_pushed;
  tally_.bytes_fetched += from.reply.bytes_fetched;
}

void AsynchronousRunner::end_leg(const StepContext& context, const Task& task) {
  clocks_.advance(task.worker, task.leg);
  if (task.refused) {
    drop(task.worker);
    throw non_finite_loss("the push after the worker's step " + std::to_string(clocks_.clock(task.worker)) +
                              " is refused: its gradients or losses are not finite",
                          task.of_finite_weights, context.rounds.where(task.worker, phase(context, "compute")));
  }
  follow_up(context, task.worker);
}

void AsynchronousRunner::end_push(const StepContext& context, const Task& task) {
  if (task.serves) {
    clocks_.fetch(task.worker);
    ++tally_.traffic[task.worker].fetches;
  }
  if (task.refused) {
    drop(task.worker);
    const std::string refuser = context.rounds.where(task.refused_by, phase(context, "apply")).node;
    throw Error(ErrorCode::non_finite_weights,
                "the push after the worker's step " + std::to_string(clocks_.clock(task.worker)) +
                    " is refused: it would make weights or state that are not finite (reported by " + refuser + ")",
                context.rounds.where(task.worker, phase(context, "apply")));
  }
  if (task.pushes) count(task);
  follow_up(context, task.worker);
  let_waiting_go(context);
}

void AsynchronousRunner::follow_up(const StepContext& context, int worker) {
  if (context.members.lost(worker)) {
    // If the loss of the worker was already reported, the driver is already replacing the worker.
    if (resting_ || !context.rounds.is_untold(worker)) return;
    context.rounds.throw_if_lost(Round(0, {worker}), phase(context, "compute"));
  }
  if (resting_) {
    if (clocks_.has_unpushed(worker)) ask_servers(context, worker, true, false);
    return;
  }
  const bool push = clocks_.push_due(worker);
  const bool due = clocks_.fetch_due(worker);
  // In a replay, the record determines when the worker fetches, instead of `may_go`.
  const bool fetch = due && (script_ || clocks_.may_go(worker));
  if (push || fetch) return ask_servers(context, worker, push, fetch);
  if (due) return waiting_.push_back(worker);
  advance(context, worker);
}

void AsynchronousRunner::let_waiting_go(const StepContext& context) {
  for (const int worker : std::exchange(waiting_, {})) follow_up(context, worker);
}

void AsynchronousRunner::advance(const StepContext& context, int worker) {
  if (!is_turn({ServerOperation::Kind::compute, worker, clocks_.clock(worker)})) return hold(context, worker);
  Task task{.worker = worker, .leg = clocks_.next_leg(worker)};
  task.deadline = Deadline(context.options.timeouts.step * task.leg.gradients);
  Advance request;
  request.step = task.leg.step;
  request.gradients = task.leg.gradients;
  request.served = task.leg.served;
  request.goes_on = task.leg.goes_on;
  request.first = task.leg.first;
  request.rate_bits = to_bits(context.learning_rate / context.plan.topology.num_shards);
  request.timeout_ms = task.deadline.left().count();
  rounds_.push_back(context.rounds.open(request, {worker}, phase(context, "compute")));
  tasks_.emplace(rounds_.back().number(), task);
  let_held_go(context);
}

void AsynchronousRunner::ask_servers(const StepContext& context, int worker, bool pushes, bool serves) {
  const std::int64_t age = pushes ? pushes_ - fetched_.at(worker) - own_since_.at(worker) : 0;
  const bool dropped = pushes && max_staleness_ >= 0 && age > max_staleness_;
  const auto kind = dropped ? ServerOperation::Kind::drop : ServerOperation::Kind::ask;
  // Whether the worker could fetch weights together with this push depended on timing in the recorded run. Therefore in
  // a replay, `serves` is set as in the record.
  if (const auto next = scripted(worker); next && next->pushes && pushes && !resting_) serves = next->serves;
  if (!is_turn({kind, worker, clocks_.clock(worker), pushes, serves})) return hold(context, worker);
  if (dropped) {
    ++tally_.traffic[worker].dropped;
    drop(worker);
    follow_up(context, worker);
    return let_held_go(context);
  }
  const Push request = push_of(context, worker, pushes, serves);
  const Phase at = phase(context, pushes ? "apply" : "fetch");
  Task task{.worker = worker, .pushes = pushes, .serves = serves, .leg = {}};
  task.deadline = at.deadline;
  task.awaited = static_cast<int>(context.servers.size());
  task.staleness = age;
  if (context.members.num_nodes() > 0) {
    const Deliver deliver{0, request.applies, request.serves, request.timeout_ms};
    rounds_.push_back(context.rounds.open(request, context.servers, deliver, worker, at));
    ++task.awaited;
    whole_ = whole_ && !request.applies;
  } else {
    rounds_.push_back(context.rounds.open(request, context.servers, at));
  }
  tasks_.emplace(rounds_.back().number(), task);
  // Commit the new version now, before the servers have answered. This is safe, because all servers handle requests in
  // the same order, and because nothing but servers reads the state until members are at rest.
  if (request.applies) {
    const Version version = context.versions.committed();
    context.versions.commit(request.to, {version.step, version.updates + 1});
    ++pushes_;
    ++own_since_[worker];
  }
  if (serves) {
    fetched_[worker] = pushes_;
    own_since_[worker] = 0;
  }
  let_held_go(context);
}

Push AsynchronousRunner::push_of(const StepContext& context, int worker, bool pushes, bool serves) {
  const Unpushed& unpushed = unpushed_[worker];
  Versions& versions = context.versions;
  Push push;
  push.rank = context.members.rank_of(worker);
  push.applies = pushes && unpushed.samples > 0;
  push.serves = serves;
  push.from = versions.buffer();
  push.to = push.applies ? *versions.spare() : push.from;
  push.step = versions.committed().step;
  push.updates = versions.committed().updates;
  push.samples = unpushed.samples;
  push.rate_bits = to_bits(context.learning_rate);
  push.share_bits =
      to_bits(static_cast<double>(unpushed.gradients) / static_cast<double>(context.plan.topology.num_shards));
  push.timeout_ms = context.options.timeouts.step.count();
  return push;
}

}  // namespace troupe
