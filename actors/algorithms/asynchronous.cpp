#include "actors/algorithms/asynchronous.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "actors/algorithms/synchronous.hpp"
#include "actors/messages/synchronous.hpp"
#include "actors/rounds/reply_checks.hpp"

namespace troupe {

namespace {

Staleness staleness_of(const std::vector<std::int64_t>& pushes) {
  Staleness staleness{.histogram = pushes};
  std::int64_t all = 0;
  double sum = 0;
  for (std::size_t age = 0; age < pushes.size(); ++age) {
    all += pushes[age];
    sum += static_cast<double>(age) * static_cast<double>(pushes[age]);
  }
  staleness.mean = all > 0 ? sum / static_cast<double>(all) : 0;
  staleness.largest = static_cast<std::int64_t>(pushes.size()) - 1;
  return staleness;
}

}  // namespace

Asynchronous::Asynchronous(const Clocks::Rules& rules, const AsynchronousOptions& options)
    : max_staleness_(options.max_staleness), clocks_(rules) {
  if (!options.record.empty()) recorder_.emplace(options.record);
  if (!options.replay.empty()) script_.emplace(options.replay);
}

Phase Asynchronous::phase(const StepContext& context, const Deadline& deadline, const char* name) const {
  return {name, context.versions.committed().step + 1, deadline};
}

StepReport Asynchronous::step(const StepContext& context, const Deadline& deadline, bool rehearse) {
  const Stopwatch whole;
  if (rehearse) return rehearse_with(context, deadline);
  come_back();
  const Leaving leaving(*this);
  begin(context, deadline);
  const std::int64_t wanted = context.plan.topology.num_shards;
  while (tally_.gradients < wanted) {
    if (rested_here()) {
      rest(context, deadline);
      begin(context, deadline);
    } else {
      go_on(context, deadline);
    }
  }
  const Version& version = context.versions.committed();
  context.versions.commit(context.versions.buffer(), {version.step + 1, version.updates});
  return report_of(context, whole.seconds());
}

/// What passes between calls is not taken from workers' time.
void Asynchronous::come_back() {
  if (!left_at_) return;
  const auto away = Clock::now() - *std::exchange(left_at_, std::nullopt);
  for (auto& [round, task] : tasks_) task.deadline = task.deadline.later(away);
}

/// Nodes that have parameter servers exchange no gradients.
StepReport Asynchronous::rehearse_with(const StepContext& context, const Deadline& deadline) {
  if (under_way()) rest(context, deadline);
  if (context.members.num_nodes() == 0) return Synchronous().step(context, deadline, /*rehearse=*/true);
  Compute request;
  request.call = context.call;
  request.step = context.versions.committed().step;
  request.buffer = context.versions.buffer();
  request.timeout_ms = deadline.left().count();
  context.rounds.ask(request, context.members.workers(), phase(context, deadline, "compute"));
  return {};
}

void Asynchronous::rest(const StepContext& context, const Deadline& deadline) {
  come_back();
  // As far as the record went before it rested.
  while (script_ && !tasks_.empty() && script_->next().kind != ServerOperation::Kind::rest) go_on(context, deadline);
  if (!is_turn({ServerOperation::Kind::rest})) throw Error(ErrorCode::bad_file, "the record is of another run");
  resting_ = true;
  let_held_go(context, deadline);
  std::optional<Error> first;
  while (!tasks_.empty()) {
    try {
      go_on(context, deadline);
    } catch (const Error& error) {
      // What is refused is no fault of who wants rest, and the state is clean: the next step will find it again.
      const bool refusal = error.code() == ErrorCode::non_finite_loss || error.code() == ErrorCode::non_finite_weights;
      if (!first && !refusal) first = error;
    }
  }
  waiting_.clear();
  held_.clear();
  resting_ = false;
  if (first) throw Error(*first);
  context.rounds.settle();
}

void Asynchronous::make_whole(const StepContext& context, const Deadline& deadline) {
  const ShareWeights request{0, context.versions.buffer(), deadline.left().count()};
  context.rounds.ask(request, context.members.nodes(), phase(context, deadline, "fetch"));
  whole_ = true;
}

void Asynchronous::abandon(const StepContext& context, const Deadline& deadline) {
  whole_ = true;  // of what comes next
  std::erase_if(rounds_, [&](const Round& round) { return tasks_.at(round.number()).is_of_worker(); });
  std::erase_if(tasks_, [](const auto& each) { return each.second.is_of_worker(); });
  rest(context, deadline);
}

/// Those who do nothing: all at first and after a rest, and one whose work was refused.
void Asynchronous::begin(const StepContext& context, const Deadline& deadline) {
  const std::vector<int> workers = context.members.workers();
  if (!under_way()) {
    clocks_.keep(workers);
    waiting_.clear();  // all begin anew, and some may take part no more
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
  let_waiting_go(context, deadline);  // when all clocks are known
}

void Asynchronous::go_on(const StepContext& context, const Deadline& deadline) {
  if (tasks_.empty()) throw Error(ErrorCode::bad_file, "the record is of another run");  // all are held back
  const auto first = std::ranges::min_element(tasks_, {}, [](const auto& each) { return each.second.deadline.at(); });
  const Deadline& until = first->second.deadline;
  const Phase at = phase(context, until, first->second.pushes ? "apply" : "compute");
  try {
    auto next = context.rounds.next_of<Advanced, Pushed>(rounds_, until, at);
    if (!next) context.rounds.time_out(late(first->first), at);
    std::visit([&](auto& reply) { note(context, deadline, std::move(reply)); }, *next);
  } catch (const Error&) {
    forget_hopeless(context);
    throw;
  }
}

/// All workers that have had their time; where there are none, who has not answered this round.
Round Asynchronous::late(std::uint64_t round) const {
  std::vector<int> workers;
  for (const auto& [number, task] : tasks_)
    if (task.is_of_worker() && task.deadline.passed()) workers.push_back(task.worker);
  return workers.empty() ? *std::ranges::find(rounds_, round, &Round::number) : Round(0, std::move(workers));
}

/// Nobody will hear answers of those that are lost or have failed. A worker that has had its time may still be at work:
/// it is a task until it is lost. What servers have been told they do before they do anything else.
void Asynchronous::forget_hopeless(const StepContext& context) {
  std::erase_if(rounds_, [&](const Round& round) {
    const Task& task = tasks_.at(round.number());
    const bool hopeless =
        round.complete() || (!task.is_of_worker() && task.deadline.passed()) ||
        std::ranges::any_of(round.missing(), [&](int member) { return context.members.lost(member); });
    if (hopeless) tasks_.erase(round.number());
    return hopeless;
  });
}

void Asynchronous::end(std::uint64_t round) {
  tasks_.erase(round);
  std::erase_if(rounds_, [&](const Round& each) { return each.number() == round; });
}

void Asynchronous::drop(int worker) {
  unpushed_.erase(worker);
  clocks_.push(worker);
}

void Asynchronous::note(const StepContext& context, const Deadline& deadline, From<Advanced> advanced) {
  const auto& [worker, reply] = advanced;
  const Clocks::Leg leg = tasks_.at(reply.round).leg;
  end(reply.round);
  const Where where = context.rounds.where(worker, phase(context, deadline, "compute"));
  check_reply(reply, context.members.shards_of(worker), where);
  clocks_.advance(worker, leg);
  Unpushed& unpushed = unpushed_[worker];
  bool finite = reply.finite;
  for (std::size_t i = 0; i < reply.shards.size(); ++i) {
    const double loss = from_bits(reply.loss_bits[i]);
    finite = finite && std::isfinite(loss);
    unpushed.loss_sum += loss;
    unpushed.samples += reply.samples[i];
    unpushed.gradients += leg.gradients;
  }
  unpushed.seconds += from_bits(reply.seconds_bits);
  if (!finite) {
    drop(worker);
    throw Error(ErrorCode::non_finite_loss,
                "what the worker was to push after its step " + std::to_string(clocks_.clock(worker)) +
                    " is not finite, and is refused",
                where);
  }
  follow_up(context, worker, deadline);
}

void Asynchronous::note(const StepContext& context, const Deadline& deadline, const From<Pushed>& pushed) {
  Task& of = tasks_.at(pushed.reply.round);
  of.seconds = std::max(of.seconds, from_bits(pushed.reply.seconds_bits));
  of.refused = of.refused || !pushed.reply.finite;
  tally_.bytes_pushed += pushed.reply.bytes_pushed;
  tally_.bytes_fetched += pushed.reply.bytes_fetched;
  if (--of.awaited > 0) return;
  const Task task = of;
  end(pushed.reply.round);
  if (task.serves) {
    clocks_.fetch(task.worker);
    ++tally_.traffic[task.worker].fetches;
  }
  if (task.refused) {
    drop(task.worker);
    throw Error(ErrorCode::non_finite_weights,
                "what the worker pushed after its step " + std::to_string(clocks_.clock(task.worker)) +
                    " would make weights or state that are not finite, and is refused",
                {.worker = task.worker,
                 .node = context.rounds.where(task.worker, {}).node,
                 .phase = "apply",
                 .step = context.versions.committed().step + 1});
  }
  if (task.pushes) count(task);
  follow_up(context, task.worker, deadline);
  let_waiting_go(context, deadline);
}

void Asynchronous::count(const Task& task) {
  const Unpushed done = unpushed_[task.worker];
  drop(task.worker);
  tally_.gradients += done.gradients;
  tally_.samples += done.samples;
  tally_.loss_sum += done.loss_sum;
  tally_.compute_seconds[task.worker] += done.seconds;
  tally_.apply_seconds += task.seconds;
  ++tally_.traffic[task.worker].pushes;
  const auto age = static_cast<std::size_t>(task.staleness);
  tally_.staleness.resize(std::max(tally_.staleness.size(), age + 1));
  ++tally_.staleness[age];
}

void Asynchronous::follow_up(const StepContext& context, int worker, const Deadline& deadline) {
  if (context.members.lost(worker)) {
    // Who is told of already is being replaced.
    if (resting_ || !context.rounds.is_untold(worker)) return;
    context.rounds.throw_if_lost(Round(0, {worker}), phase(context, deadline, "compute"));
  }
  if (resting_) {
    if (clocks_.has_unpushed(worker)) ask_servers(context, worker, true, false, deadline);
    return;
  }
  const bool push = clocks_.push_due(worker);
  const bool due = clocks_.fetch_due(worker);
  const bool fetch = due && (script_ || clocks_.may_go(worker));  // else a record says when
  if (push || fetch) return ask_servers(context, worker, push, fetch, deadline);
  if (due) return waiting_.push_back(worker);
  advance(context, worker, deadline);
}

void Asynchronous::let_waiting_go(const StepContext& context, const Deadline& deadline) {
  for (const int worker : std::exchange(waiting_, {})) follow_up(context, worker, deadline);
}

void Asynchronous::advance(const StepContext& context, int worker, const Deadline& deadline) {
  if (!is_turn({ServerOperation::Kind::compute, worker, clocks_.clock(worker)})) return hold(context, worker, deadline);
  Task task{.worker = worker, .leg = clocks_.next_leg(worker)};
  Advance request;
  request.step = task.leg.step;
  request.gradients = task.leg.gradients;
  request.served = task.leg.served;
  request.goes_on = task.leg.goes_on;
  request.first = task.leg.first;
  request.rate_bits = to_bits(context.learning_rate / context.plan.topology.num_shards);
  request.timeout_ms = deadline.left().count();
  task.deadline = deadline;
  rounds_.push_back(context.rounds.open(request, {worker}, phase(context, deadline, "compute")));
  tasks_.emplace(rounds_.back().number(), task);
  let_held_go(context, deadline);
}

void Asynchronous::ask_servers(const StepContext& context, int worker, bool pushes, bool serves,
                               const Deadline& deadline) {
  const std::int64_t age = pushes ? pushes_ - fetched_.at(worker) - own_since_.at(worker) : 0;
  const bool dropped = max_staleness_ >= 0 && age > max_staleness_;
  const auto kind = dropped ? ServerOperation::Kind::drop : ServerOperation::Kind::ask;
  // Whether it was far enough behind others to fetch at once was a matter of time.
  if (const auto next = scripted(worker); next && next->pushes && pushes && !resting_) serves = next->serves;
  if (!is_turn({kind, worker, clocks_.clock(worker), pushes, serves})) return hold(context, worker, deadline);
  if (dropped) {
    ++tally_.traffic[worker].dropped;
    drop(worker);
    follow_up(context, worker, deadline);
    return let_held_go(context, deadline);
  }
  const Unpushed& unpushed = unpushed_[worker];
  Versions& versions = context.versions;
  const Version version = versions.committed();
  Push request;
  request.rank = context.members.rank_of(worker);
  request.applies = pushes && unpushed.samples > 0;
  request.serves = serves;
  request.from = versions.buffer();
  request.to = request.applies ? *versions.spare() : request.from;
  request.step = version.step;
  request.updates = version.updates;
  request.samples = unpushed.samples;
  request.rate_bits = to_bits(context.learning_rate);
  request.share_bits =
      to_bits(static_cast<double>(unpushed.gradients) / static_cast<double>(context.plan.topology.num_shards));
  request.timeout_ms = deadline.left().count();
  const Phase at = phase(context, deadline, pushes ? "apply" : "fetch");
  Task task{.worker = worker, .pushes = pushes, .serves = serves, .leg = {}};
  task.deadline = deadline;
  task.awaited = static_cast<int>(context.servers.size());
  if (context.members.num_nodes() > 0) {
    const Deliver deliver{0, request.applies, request.serves, request.timeout_ms};
    rounds_.push_back(context.rounds.open(request, context.servers, deliver, worker, at));
    ++task.awaited;
    whole_ = whole_ && !request.applies;
  } else {
    rounds_.push_back(context.rounds.open(request, context.servers, at));
  }
  task.staleness = age;
  tasks_.emplace(rounds_.back().number(), task);
  // Servers do what they are told in order, and nobody else reads before all is at rest: it is as good as done.
  if (request.applies) {
    versions.commit(request.to, {version.step, version.updates + 1});
    ++pushes_;
    ++own_since_[worker];
  }
  if (serves) {
    fetched_[worker] = pushes_;
    own_since_[worker] = 0;
  }
  let_held_go(context, deadline);
}

/// What a record has next, where it is this worker's.
std::optional<ServerOperation> Asynchronous::scripted(int worker) const {
  if (!script_ || script_->done()) return std::nullopt;
  const ServerOperation& next = script_->next();
  return next.kind != ServerOperation::Kind::rest && next.worker == worker ? std::optional(next) : std::nullopt;
}

/// True where nothing is replayed, or the record has this next; then it is done, and recorded.
bool Asynchronous::is_turn(const ServerOperation& operation) {
  // A worker that was lost in the record pushes nothing any more.
  if (script_ && script_->done() && resting_) return false;
  if (script_ && script_->next() != operation) return false;
  if (script_) script_->take();
  if (recorder_) recorder_->write(operation);
  return true;
}

/// What a worker wants has not its turn yet, or never will have it: in the record it was lost, and began anew.
void Asynchronous::hold(const StepContext& context, int worker, const Deadline& deadline) {
  const auto next = scripted(worker);
  const bool begins = next && next->kind == ServerOperation::Kind::ask && !next->pushes;
  if (begins && next->clock != clocks_.clock(worker)) {
    unpushed_.erase(worker);
    clocks_.set_back(worker, next->clock);
    return follow_up(context, worker, deadline);
  }
  if (next && !resting_) throw Error(ErrorCode::bad_file, "the record is of another run");
  held_.insert(worker);
}

/// Whether the record rested here, in the middle of a step, since a worker was lost.
bool Asynchronous::rested_here() const {
  return script_ && !script_->done() && script_->next().kind == ServerOperation::Kind::rest &&
         std::ranges::all_of(tasks_, [](const auto& each) { return each.second.is_of_worker(); });
}

void Asynchronous::let_held_go(const StepContext& context, const Deadline& deadline) {
  if (!script_ || script_->done()) return;
  const ServerOperation& next = script_->next();
  if (next.kind != ServerOperation::Kind::rest && held_.erase(next.worker) > 0)
    follow_up(context, next.worker, deadline);
}

/// One push may hold gradients of several steps: each takes its part.
StepReport Asynchronous::report_of(const StepContext& context, double seconds) {
  const std::int64_t wanted = context.plan.topology.num_shards;
  const double part = static_cast<double>(wanted) / static_cast<double>(tally_.gradients);
  StepReport report;
  report.step = context.versions.committed().step;
  report.loss = tally_.samples > 0 ? tally_.loss_sum / static_cast<double>(tally_.samples) : 0;
  report.learning_rate = context.learning_rate;
  report.samples = std::llround(static_cast<double>(tally_.samples) * part);
  report.strategy = context.plan.strategy;
  report.deterministic = false;
  report.seconds.step = seconds;
  report.seconds.apply_all = std::min(tally_.apply_seconds, seconds);
  report.seconds.compute_all = seconds - report.seconds.apply_all;
  for (const int worker : context.members.workers()) report.seconds.compute.push_back(tally_.compute_seconds[worker]);
  report.asynchronous = {staleness_of(tally_.staleness), {}, tally_.bytes_fetched, tally_.bytes_pushed};
  for (auto& [worker, traffic] : tally_.traffic) {
    traffic.worker = worker;
    report.asynchronous.workers.push_back(traffic);
  }
  const Tally before = std::exchange(tally_, {});
  tally_.gradients = before.gradients - wanted;
  tally_.samples = before.samples - report.samples;
  tally_.loss_sum = before.loss_sum - report.loss * static_cast<double>(report.samples);
  return report;
}

}  // namespace troupe
