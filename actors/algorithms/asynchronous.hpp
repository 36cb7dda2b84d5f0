#pragma once

#include <map>
#include <optional>
#include <set>
#include <vector>

#include "actors/algorithms/algorithm_runner.hpp"
#include "actors/algorithms/clocks.hpp"
#include "actors/algorithms/server_record.hpp"
#include "actors/messages/asynchronous.hpp"

namespace troupe {

/// Trains with parameter servers, while each worker proceeds at its own speed. This algorithm is Downpour SGD (Dean et
/// al. 2012, section 4.1). If `Clocks::Rules::staleness` limits how far a worker may be ahead of others, the algorithm
/// is the stale synchronous parallel (SSP) model of Ho et al. 2013.
///
/// The driver decides the order in which servers apply pushes and serve weights. The order is the same for all servers.
/// Gradients and weights travel between workers and servers, not through the driver. A push with the gradients of n of
/// the run's V shards changes the weights by n/V of the learning rate times their mean gradient. Therefore the gradient
/// of one shard changes the weights by as much as in a synchronous step.
///
/// Workers keep computing between consecutive calls of `step()`. Before any other call that needs the workers, `rest`
/// is called.
class AsynchronousRunner : public AlgorithmRunner {
 public:
  /// @param rules how often workers fetch and push, and how far they may be ahead of others
  /// @param files the record to write, and the record to replay
  /// @param max_staleness see Downpour::max_staleness; -1: unlimited
  AsynchronousRunner(const Clocks::Rules& rules, const ServerFiles& files, int max_staleness = -1);

  bool has_servers() const override { return true; }
  std::int64_t pushes() const override { return applied_pushes_; }
  /// Waits until the servers have applied as many gradients of shards as the run has shards, counted since the last
  /// call. If the last push contains more gradients than needed, the surplus counts for the next call.
  StepReport step(const StepContext& context, const Deadline& deadline, bool rehearse) override;
  bool under_way() const override { return begun_; }
  void rest(const StepContext& context) override;
  bool must_rest() const override { return exchange_failed_; }
  bool whole() const override { return whole_; }
  void make_whole(const StepContext& context, const Deadline& deadline) override;
  void abandon(const StepContext& context) override;
  void forget() override;

 private:
  /// A task that is not finished yet. Either a worker computes gradients, or the parameter servers apply the worker's
  /// push, serve weights to the worker, or both.
  struct Task {
    int worker = 0;
    bool pushes = false;  ///< the servers apply the worker's push
    bool serves = false;  ///< the servers serve weights to the worker
    Clocks::Leg leg;      ///< the gradients that the worker computes, if it is a task of the worker
    Deadline deadline{std::chrono::milliseconds(0)};
    /// The number of members that have not answered the task's request yet.
    int awaited = 1;
    std::optional<Error> error = {};  ///< the first error of a member
    bool refused = false;             ///< the results are not finite, so the gradients are not applied
    int refused_by = -1;              ///< the server that refused the push
    /// Whether the weights from which the worker computed its gradients were finite.
    bool of_finite_weights = true;
    /// The staleness of the push: the number of pushes of other workers since this worker last fetched weights.
    std::int64_t staleness = 0;
    double seconds = 0;  ///< the time in seconds that the worker or the slowest server took

    bool is_of_worker() const { return !pushes && !serves; }
    const char* name() const { return pushes ? "apply" : serves ? "fetch" : "compute"; }
  };
  /// The sums of the results that a worker has computed and has not pushed yet.
  struct Unpushed {
    std::int64_t gradients = 0;
    std::int64_t samples = 0;
    double loss_sum = 0;
    double seconds = 0;
    double data_seconds = 0;
    PassCounts counts = {};
    std::int64_t correct = 0;
  };
  /// The sums of the results that servers have applied since `step` last returned.
  struct Tally {
    std::int64_t gradients = 0;
    std::int64_t samples = 0;
    double loss_sum = 0;
    double apply_seconds = 0;
    std::map<int, double> compute_seconds;
    std::map<int, double> data_seconds;
    PassCounts counts = {};
    std::int64_t correct = 0;
    std::map<int, WorkerTraffic> traffic;
    std::vector<std::int64_t> staleness;  ///< element i: the number of pushes with staleness i
    std::int64_t bytes_pushed = 0;
    std::int64_t bytes_fetched = 0;
    std::int64_t bytes_sent = 0;  ///< the number of bytes sent between nodes
  };

  /// On destruction, at the end of a call of `step`, records the current time in `left_at_`. `come_back` later extends
  /// the workers' deadlines by the time since then.
  class Leaving {
   public:
    explicit Leaving(AsynchronousRunner& algorithm) : algorithm_(algorithm) {}
    ~Leaving() { algorithm_.left_at_ = Clock::now(); }
    Leaving(const Leaving&) = delete;
    Leaving& operator=(const Leaving&) = delete;

   private:
    AsynchronousRunner& algorithm_;
  };

  void come_back();
  bool complete(const StepContext& context);
  [[noreturn]] void throw_late(const StepContext& context) const;
  StepReport rehearse_with(const StepContext& context, const Deadline& deadline);
  /// Gives each idle worker its first task.
  void begin(const StepContext& context);
  /// Waits for the next reply of a worker or server, and handles the reply.
  /// @throws Error if a task failed or missed its deadline. A failed task, and each task that can no longer be
  /// answered, is removed.
  void go_on(const StepContext& context);
  template <class Reply>
  void take(const StepContext& context, const From<Reply>& from);
  /// Adds the results in the worker's reply to the task and to the worker's unpushed results.
  void note(Task& task, const From<Advanced>& from);
  /// Adds the times, byte counts and refusals in the reply of a server or worker to the task and the tally.
  void note(Task& task, const From<Pushed>& from);
  /// Handles the end of a task of a worker.
  /// @throws Error non_finite_loss if the gradients or losses are not finite. The worker's unpushed results are then
  /// dropped.
  void end_leg(const StepContext& context, const Task& task);
  /// Handles the end of a task of the servers.
  /// @throws Error non_finite_weights if a server has refused the push, because the new state would not be finite
  void end_push(const StepContext& context, const Task& task);
  /// Starts the worker's next task: to compute, to push, to fetch, or to push and fetch. If the worker is too far ahead
  /// of others, adds the worker to `waiting_`.
  void follow_up(const StepContext& context, int worker);
  /// Starts the next task of each worker in `waiting_`, unless the worker is still too far ahead of others.
  void let_waiting_go(const StepContext& context);
  /// Sends the worker a request to compute its next gradients.
  void advance(const StepContext& context, int worker);
  /// Sends all servers a request to apply the worker's push (`pushes`), to serve weights to the worker (`serves`), or
  /// both. If the push is too old (see `max_staleness_`), drops the push instead.
  void ask_servers(const StepContext& context, int worker, bool pushes, bool serves);
  /// Returns the request that `ask_servers` sends.
  Push push_of(const StepContext& context, int worker, bool pushes, bool serves);
  /// Forgets the worker's unpushed results, because the results were counted, or will not be used.
  void drop(int worker);
  /// Adds the results of an applied push to the tally.
  void count(const Task& task);
  /// Removes the task with this round from `tasks_`, and the round from `rounds_`.
  void end(std::uint64_t round);
  // Functions that replay a record: see `ServerScript`.
  std::optional<ServerOperation> scripted(int worker) const;
  bool is_turn(const ServerOperation& operation);
  void hold(const StepContext& context, int worker);
  bool rested_here(const StepContext& context) const;
  /// If the next operation of the record belongs to a worker in `held_`, removes the worker from `held_` and starts its
  /// next task.
  void let_held_go(const StepContext& context);
  Round late(std::uint64_t round) const;
  void forget_hopeless(const StepContext& context);
  StepReport report_of(const StepContext& context, double seconds);
  Phase phase(const StepContext& context, const char* name) const;

  std::int64_t max_staleness_;  ///< the largest staleness of a push that is applied; -1: unlimited
  std::optional<ServerRecorder> recorder_;
  std::optional<ServerScript> script_;
  std::set<int> held_;  ///< in a replay, the workers that wait until the record's next operation is theirs
  Clocks clocks_;
  /// The larger one of `Clocks::Rules::fetch_every` and `push_every`: a worker fetches and pushes at least once while
  /// it computes this number of gradients per shard.
  int longest_leg_;
  bool exchange_failed_ = false;              ///< an exchange between nodes failed since the last rest
  std::optional<Clock::time_point> left_at_;  ///< the time when the last call of `step` ended; none during a call
  /// Whether any worker has started since the last rest. It stays true even if all of these workers are lost, so that
  /// `rest` is called in this case, too. This is needed because a record must contain a rest wherever workers are lost
  /// or added.
  bool begun_ = false;
  bool resting_ = false;
  /// The error of a push that was refused while members came to rest. The next call of `step` throws the error.
  std::optional<Error> refusal_;
  /// Whether every node holds all slices of the committed version.
  bool whole_ = true;
  std::vector<Round> rounds_;            ///< the rounds of the outstanding tasks
  std::map<std::uint64_t, Task> tasks_;  ///< the outstanding tasks, by the number of the task's round
  std::vector<int> waiting_;             ///< workers that may not fetch yet, because they are too far ahead of others
  std::map<int, Unpushed> unpushed_;     ///< by worker
  /// By worker: the number of pushes (of all workers) that the weights contain which the worker last fetched.
  std::map<int, std::int64_t> fetched_;
  std::map<int, std::int64_t> own_since_;  ///< by worker: the number of its own pushes since it last fetched weights
  std::int64_t applied_pushes_ = 0;
  std::int64_t pushes_ = 0;  ///< the number of pushes of all workers that servers were asked to apply
  Tally tally_;
};

}  // namespace troupe
