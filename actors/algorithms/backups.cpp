#include "actors/algorithms/backups.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "actors/rounds/reply_checks.hpp"

namespace troupe {
namespace {

/// A worker counts as late if its time exceeds the time of the slowest worker that has already answered. It must exceed
/// that time by the factor `kLate` at least, and by `kLeastSeconds` (in seconds) at least. The times of equally loaded
/// workers that share cores differ by less.
constexpr double kLate = 1.25;
constexpr double kLeastSeconds = 0.001;

bool contains(const std::vector<int>& workers, int worker) { return std::ranges::count(workers, worker) > 0; }

/// Returns the next worker in order of rank (`places` is 1) or the previous worker (`places` is -1). The first rank
/// follows the last rank.
int neighbour(const Members& members, int worker, int places) {
  const std::vector<int> workers = members.workers();
  const int count = static_cast<int>(workers.size());
  return workers[static_cast<std::size_t>((members.rank_of(worker) + places + count) % count)];
}

}  // namespace

/// Collects the gradients of one step from the workers. If workers are late, opens additional rounds, in which their
/// backups compute the late workers' shards.
class Backups::Gathering {
 public:
  /// @param behind workers that still compute for an earlier step. The backup of such a worker starts at once, unless
  /// the backup itself still computes for an earlier step.
  Gathering(const StepContext& context, const Compute& request, const Phase& phase, std::vector<int> behind)
      : context_(context), request_(request), phase_(phase), behind_(std::move(behind)) {
    for (const int worker : behind_)
      if (!contains(behind_, backup_of(worker))) backed_up_.push_back(worker);
  }

  /// Returns one reply for each worker, in order of rank: the worker's own reply, or the reply of its backup.
  std::vector<From<Computed>> run();
  /// Returns the workers whose own replies have not arrived, so that the replies of their backups are used.
  std::vector<int> left_out() const;
  /// Returns the round in which workers compute their own shards. The caller must close this round (`Rounds::close`),
  /// because late workers will still send their replies to it.
  const Round& own_round() const { return rounds_.front(); }

 private:
  int backup_of(int worker) const { return neighbour(context_.members, worker, 1); }
  bool complete() const;
  void ask_backups_of(const std::vector<int>& workers);
  void note(From<Computed> reply);
  /// Returns the workers that have not answered and whose backups are free to start now. Returns an empty list if the
  /// step would then have more backups than `StepContext::backups`.
  std::vector<int> candidates() const;
  /// Returns the time from now until the workers in `waiting` count as late; see `kLate`. The time of a worker is
  /// assumed to be proportional to its number of shards.
  std::chrono::milliseconds late_after(const std::vector<int>& waiting) const;
  /// Returns the workers whose answers are needed to complete the step.
  std::vector<int> awaited() const;

  const StepContext& context_;
  const Compute request_;
  const Phase& phase_;
  const std::vector<int> behind_;
  std::vector<int> backed_up_;
  std::vector<Round> rounds_;  ///< the round of own shards first, then rounds of backups
  std::map<int, Computed> own_;
  std::map<int, Computed> as_backup_;  ///< replies of backups, by the worker that the backup replaces
  Stopwatch since_;
  /// The time of the latest reply of a worker for its own shards, in seconds since this object was created.
  double last_own_ = 0;
};

std::vector<From<Computed>> Backups::Gathering::run() {
  std::vector<int> present = context_.members.workers();
  std::erase_if(present, [&](int worker) { return contains(backed_up_, worker); });
  rounds_.push_back(context_.rounds.open(request_, present, phase_));
  if (!backed_up_.empty()) ask_backups_of(backed_up_);
  while (!complete()) {
    const std::vector<int> waiting = candidates();
    const auto left = waiting.empty() ? phase_.deadline.left() : std::min(late_after(waiting), phase_.deadline.left());
    if (auto reply = context_.rounds.next_reply<Computed>(rounds_, Deadline(left), phase_)) {
      note(std::move(*reply));
    } else if (phase_.deadline.passed()) {
      context_.rounds.time_out(Round(0, awaited()), phase_);
    } else if (!waiting.empty()) {
      backed_up_.insert(backed_up_.end(), waiting.begin(), waiting.end());
      ask_backups_of(waiting);
    }
  }
  std::vector<From<Computed>> all;
  for (const int worker : context_.members.workers()) {
    auto& from = own_.contains(worker) ? own_ : as_backup_;
    all.push_back({worker, std::move(from.at(worker))});
  }
  return all;
}

std::vector<int> Backups::Gathering::left_out() const {
  std::vector<int> workers = context_.members.workers();
  std::erase_if(workers, [&](int worker) { return own_.contains(worker); });
  return workers;
}

bool Backups::Gathering::complete() const {
  return std::ranges::all_of(context_.members.workers(),
                             [&](int worker) { return own_.contains(worker) || as_backup_.contains(worker); });
}

void Backups::Gathering::ask_backups_of(const std::vector<int>& workers) {
  std::vector<int> backups;
  backups.reserve(workers.size());
  for (const int worker : workers) backups.push_back(backup_of(worker));
  Compute request = request_;
  request.as_backup = true;
  rounds_.push_back(context_.rounds.open(request, backups, phase_));
}

void Backups::Gathering::note(From<Computed> reply) {
  const bool own = reply.reply.round == rounds_.front().number();
  const int whose = own ? reply.member : neighbour(context_.members, reply.member, -1);
  check_reply(reply.reply, context_.members.shards_of(whose), context_.rounds.where(reply.member, phase_));
  if (own) last_own_ = since_.seconds();
  (own ? own_ : as_backup_).insert_or_assign(whose, std::move(reply.reply));
}

std::vector<int> Backups::Gathering::candidates() const {
  std::vector<int> late = rounds_.front().missing();
  std::erase_if(late, [&](int worker) { return contains(backed_up_, worker); });
  if (late.size() + backed_up_.size() > static_cast<std::size_t>(context_.backups)) return {};
  std::erase_if(late, [&](int worker) {
    const bool stands_in = contains(backed_up_, neighbour(context_.members, worker, -1));
    return stands_in || contains(behind_, worker) || !own_.contains(backup_of(worker));
  });
  return late;
}

std::vector<int> Backups::Gathering::awaited() const {
  std::vector<int> workers;
  for (const int worker : context_.members.workers()) {
    if (own_.contains(worker) || as_backup_.contains(worker)) continue;
    workers.push_back(contains(backed_up_, worker) ? backup_of(worker) : worker);
  }
  return workers;
}

std::chrono::milliseconds Backups::Gathering::late_after(const std::vector<int>& waiting) const {
  const auto shards = [&](int worker) { return static_cast<double>(context_.members.shards_of(worker).size()); };
  double most = 0;
  for (const int worker : waiting) most = std::max(most, shards(worker));
  double least = most;  // a worker with more shards may take longer than the others
  for (const auto& [worker, computed] : own_) least = std::min(least, shards(worker));
  const double in_time = last_own_ * most / least;
  const double from_now = std::max(kLate * in_time, in_time + kLeastSeconds) - since_.seconds();
  return std::chrono::milliseconds(static_cast<std::int64_t>(std::max(0.0, 1000 * from_now)) + 1);
}

std::vector<From<Computed>> Backups::compute(const StepContext& context, const Compute& request, const Phase& phase) {
  catch_up(context, phase);
  left_out_.clear();
  if (context.backups == 0) return context.rounds.ask(request, context.members.workers(), phase);
  std::vector<int> behind;
  for (const auto& [worker, its] : behind_) behind.push_back(worker);
  const Behind now{{}, Deadline(context.options.timeouts.step)};
  Gathering gathering(context, request, phase, behind);
  auto computed = gathering.run();
  context.rounds.close<Computed>(gathering.own_round());
  left_out_ = gathering.left_out();
  for (const int worker : left_out_) {
    const auto [at, late] = behind_.try_emplace(worker, now);
    if (late) at->second.pin = context.versions.pin();
    auto& reply = computed[static_cast<std::size_t>(context.members.rank_of(worker))].reply;
    reply.pass.seconds_bits = to_bits(at->second.since.seconds());
  }
  return computed;
}

void Backups::catch_up(const StepContext& context, const Phase& phase) {
  if (!behind_.empty()) context.rounds.listen(phase);
  for (auto next = behind_.begin(); next != behind_.end();) {
    const auto [worker, behind] = *next;
    const bool still = context.rounds.owes(worker);
    if (still && !behind.deadline.passed()) {
      ++next;
      continue;
    }
    context.versions.unpin(behind.pin);
    next = behind_.erase(next);
    if (still) context.rounds.give_up(worker, phase);
  }
}

std::vector<std::int32_t> Backups::left_out_lanes(const Members& members) const {
  std::vector<std::int32_t> lanes;
  for (const int worker : left_out_) lanes.push_back(static_cast<std::int32_t>(members.lanes_of(worker).begin));
  return lanes;
}

std::vector<Range> Backups::left_out_shards(const Members& members) const {
  std::vector<Range> shards;
  for (const int worker : left_out_) shards.push_back(members.shards_of(worker));
  return shards;
}

std::vector<int> Backups::appliers(const StepContext& context) const {
  std::set<int> workers(context.appliers.begin(), context.appliers.end());
  for (const int worker : left_out_)
    if (workers.erase(worker) > 0) workers.insert(neighbour(context.members, worker, 1));
  return {workers.begin(), workers.end()};
}

std::vector<Range> Backups::slices_of(const StepContext& context, int worker) const {
  const auto slice = [&](int of) { return context.plan.slice_of_lanes(context.members.lanes_of(of)); };
  std::vector<Range> slices{slice(worker)};
  const int before = neighbour(context.members, worker, -1);
  if (contains(left_out_, before)) slices.push_back(slice(before));
  return slices;
}

}  // namespace troupe
