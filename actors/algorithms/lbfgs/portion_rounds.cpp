#include "actors/algorithms/lbfgs/portion_rounds.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <utility>
#include <variant>

#include "actors/algorithms/lbfgs/portion_deal.hpp"
#include "actors/messages/lbfgs.hpp"
#include "actors/rounds/reply_checks.hpp"
#include "collectives/plan/tree.hpp"

namespace troupe {
namespace {

class PortionRounds {
 public:
  PortionRounds(const StepContext& context, int buffer, std::int64_t step, int spares, const Phase& phase)
      : context_(context), buffer_(buffer), step_(step), phase_(phase), deal_(owners(context), spares) {
    const auto portions = static_cast<std::size_t>(context.plan.topology.num_shards);
    losses_.resize(portions);
    samples_.resize(portions);
    const auto workers = static_cast<std::size_t>(context.members.num_workers());
    sums_.seconds.resize(workers);
    sums_.data_seconds.resize(workers);
  }

  PortionSums run() {
    for (const int worker : context_.members.workers()) begin(worker);
    while (!deal_.complete()) hear();
    recall();
    sums_.loss_sum = tree_sum(losses_);
    sums_.samples = std::accumulate(samples_.begin(), samples_.end(), std::int64_t{0});
    sums_.slabs = deal_.slabs();
    sums_.backups = deal_.backups();
    sums_.won = deal_.won();
    context_.rounds.settle();
    return std::move(sums_);
  }

 private:
  using Tasks = std::vector<PortionDeal::Task>;

  static std::vector<PortionDeal::Owner> owners(const StepContext& context) {
    std::vector<PortionDeal::Owner> all;
    const Topology& topology = context.plan.topology;
    for (const int worker : context.members.workers()) {
      const Range lanes = context.members.lanes_of(worker);
      const Range portions = topology.shards_of_lanes(lanes);
      PortionDeal::Owner owner{worker, topology.node_of(static_cast<int>(lanes.begin)),
                               std::vector<int>(portions.size())};
      std::iota(owner.portions.begin(), owner.portions.end(), static_cast<int>(portions.begin));
      all.push_back(std::move(owner));
    }
    return all;
  }

  /// Sends `worker` a request to compute portions: one for each of its replicas, or fewer if fewer portions are left.
  void begin(int worker) {
    ComputePortions request;
    Tasks tasks;
    while (std::ssize(tasks) < context_.members.devices()) {
      const auto task = deal_.next(worker);
      if (!task) break;
      tasks.push_back(*task);
      request.portions.push_back(task->portion);
      request.slabs.push_back(task->slab);
    }
    if (tasks.empty()) return;
    request.buffer = buffer_;
    request.step = step_;
    request.timeout_ms = phase_.deadline.left().count();
    rounds_.push_back(context_.rounds.open(request, {worker}, phase_));
    tasks_[worker] = std::move(tasks);
  }

  void hear() {
    auto next = context_.rounds.next_of<PortionsComputed, Done>(rounds_, phase_.deadline, phase_);
    if (!next) context_.rounds.time_out(rounds_.front(), phase_);
    if (const auto* computed = std::get_if<From<PortionsComputed>>(&*next)) return take(*computed);
    const auto& done = std::get<From<Done>>(*next);
    check_well(done.member, done.reply.round, done.reply.failure);
    check_kind(done.member, done.reply.round, /*computes=*/false);
    end(done.reply.round);
  }

  void check_well(int member, std::uint64_t round, const Failure& failure) const {
    if (!failure) return;
    throw context_.rounds.failure_of(*std::ranges::find(rounds_, round, &Round::number), member, failure, phase_);
  }

  /// Checks that the reply fits the request of its round: a reply with computed portions must answer ComputePortions,
  /// and a reply without must answer Abandon.
  /// @param computes whether the reply contains computed portions
  /// @throws Error protocol if the reply does not fit
  void check_kind(int member, std::uint64_t round, bool computes) const {
    if (abandons_.contains(round) == computes)
      throw Error(ErrorCode::protocol, "a reply to another request", context_.rounds.where(member, phase_));
  }

  void end(std::uint64_t round) {
    std::erase_if(rounds_, [&](const Round& each) { return each.number() == round; });
  }

  void take(const From<PortionsComputed>& from) {
    const PortionsComputed& reply = from.reply;
    check_well(from.member, reply.round, reply.failure);
    check_kind(from.member, reply.round, /*computes=*/true);
    const Tasks tasks = std::exchange(tasks_[from.member], {});
    std::vector<std::int32_t> asked;
    for (const auto& task : tasks) asked.push_back(task.portion);
    const Where where = context_.rounds.where(from.member, phase_);
    check_reply(reply, asked, where);
    if (reply.abandoned && abandons_.empty())
      throw Error(ErrorCode::protocol, "a worker abandoned its portions without a request", where);
    end(reply.round);
    bool any_counts = false;
    bool all_count = true;
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      const bool counts = !reply.abandoned && deal_.finish(from.member, tasks[i]);
      if (reply.abandoned) deal_.drop(from.member, tasks[i]);
      all_count = all_count && counts;
      if (!counts) continue;
      any_counts = true;
      losses_[static_cast<std::size_t>(asked[i])] = from_bits(reply.loss_bits[i]);
      samples_[static_cast<std::size_t>(asked[i])] = reply.samples[i];
    }
    const auto rank = static_cast<std::size_t>(context_.members.rank_of(from.member));
    sums_.seconds[rank] += from_bits(reply.pass.seconds_bits);
    sums_.data_seconds[rank] += from_bits(reply.pass.data_bits);
    if (any_counts) {
      sums_.counts += reply.pass.counts;
      add_correct(all_count ? reply.pass.correct : BatchResult::kNotCounted, sums_.correct);
    }
    for (const int worker : context_.members.workers())
      if (!deal_.complete() && tasks_[worker].empty()) begin(worker);
  }

  /// Requests each worker that still computes to stop, and waits until all have stopped. The results of these workers
  /// are not needed, because other workers have computed the same portions. They must stop because the weights that
  /// they read are about to be overwritten.
  void recall() {
    for (const auto& [worker, tasks] : tasks_)
      if (!tasks.empty()) {
        rounds_.push_back(context_.rounds.open(Abandon{}, {worker}, phase_));
        abandons_.insert(rounds_.back().number());
      }
    while (!rounds_.empty()) hear();
  }

  const StepContext& context_;
  const int buffer_;
  const std::int64_t step_;
  const Phase phase_;
  PortionDeal deal_;
  std::vector<Round> rounds_;
  std::set<std::uint64_t> abandons_;  ///< the rounds of Abandon requests
  std::map<int, Tasks> tasks_;        ///< by worker: its current tasks
  std::vector<double> losses_;        ///< by portion: the sum of the losses of its samples
  std::vector<std::int64_t> samples_;
  PortionSums sums_;
};

}  // namespace

PortionSums compute_portions(const StepContext& context, int buffer, std::int64_t step, int spares,
                             const Phase& phase) {
  return PortionRounds(context, buffer, step, spares, phase).run();
}

}  // namespace troupe
