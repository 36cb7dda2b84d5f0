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

/// Trains with parameter servers, while each worker proceeds at its own speed: Downpour SGD of Dean et al. 2012,
/// section 4.1. If the rules limit how far a worker may be ahead, this is the stale synchronous parallel (SSP) model of
/// Ho et al. 2013.
///
/// The driver decides the order in which servers apply pushes and serve weights. The order is the same for all servers.
/// The driver moves no floats. A push moves the weights by the learning rate times the pushed fraction of a step's
/// gradients. Therefore the gradient of one shard moves the weights as far as in a synchronous step.
///
/// Workers keep computing between consecutive calls of `step()`. For all other calls they come to `rest`.
class AsynchronousRunner : public AlgorithmRunner {
 public:
  /// @param max_staleness see Downpour::max_staleness
  AsynchronousRunner(const Clocks::Rules& rules, const ServerFiles& files, int max_staleness = -1);

  bool has_servers() const override { return true; }
  /// Returns when the servers have applied as many gradients as the run has shards, counted since the last return. The
  /// remaining gradients of the last push count for the next call.
  StepReport step(const StepContext& context, const Deadline& deadline, bool rehearse) override;
  bool under_way() const override { return begun_; }
  void rest(const StepContext& context, const Deadline& deadline) override;
  bool must_rest() const override { return exchange_failed_; }
  bool whole() const override { return whole_; }
  void make_whole(const StepContext& context, const Deadline& deadline) override;
  void abandon(const StepContext& context, const Deadline& deadline) override;
  void forget() override;

 private:
  /// An outstanding task: of a worker, or of the servers for a worker.
  struct Task {
    int worker = 0;
    bool pushes = false;  ///< the servers apply the worker's push
    bool serves = false;  ///< the servers serve weights to the worker
    Clocks::Leg leg;      ///< the gradients that the worker computes
    Deadline deadline{std::chrono::milliseconds(0)};
    /// The number of members that have not answered yet.
    int awaited = 1;
    std::optional<Error> error = {};  ///< the first error of a member
    bool refused = false;             ///< the results are not finite, so they are not applied
    int refused_by = -1;              ///< the server that refused the push
    /// Whether the weights were finite from which the worker computed.
    bool of_finite_weights = true;
    std::int64_t staleness = 0;  ///< of the push: the pushes of other workers since the worker fetched its weights
    double seconds = 0;          ///< the time of the worker, or of the slowest server

    bool is_of_worker() const { return !pushes && !serves; }
    const char* name() const { return pushes ? "apply" : serves ? "fetch" : "compute"; }
  };
  /// The results that a worker has computed and not pushed yet.
  struct Unpushed {
    std::int64_t gradients = 0;
    std::int64_t samples = 0;
    double loss_sum = 0;
    double seconds = 0;
    double data_seconds = 0;
    std::int64_t left_out = 0;
    std::int64_t bytes_over_bus = 0;
    std::int64_t correct = 0;
  };
  /// The results that were applied since `step` returned last.
  struct Tally {
    std::int64_t gradients = 0;
    std::int64_t samples = 0;
    double loss_sum = 0;
    double apply_seconds = 0;
    std::map<int, double> compute_seconds;
    std::map<int, double> data_seconds;
    std::int64_t left_out = 0;
    std::int64_t bytes_over_bus = 0;
    std::int64_t correct = 0;
    std::map<int, WorkerTraffic> traffic;
    std::vector<std::int64_t> staleness;  ///< element i: the number of pushes with staleness i
    std::int64_t bytes_pushed = 0;
    std::int64_t bytes_fetched = 0;
    std::int64_t bytes_sent = 0;  ///< the number of bytes sent between nodes
  };

  /// Records the time at the end of a call of `step`. Workers keep computing after this time.
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
  /// Waits for one event and handles it.
  /// @throws Error if a task failed. The failed task is removed.
  void go_on(const StepContext& context);
  template <class Reply>
  void take(const StepContext& context, const From<Reply>& from);
  void note(Task& task, const From<Advanced>& from);
  void note(Task& task, const From<Pushed>& from);
  void end_leg(const StepContext& context, const Task& task);
  void end_push(const StepContext& context, const Task& task);
  /// Starts the next task of a worker.
  void follow_up(const StepContext& context, int worker);
  /// Starts the next task of each worker that waited, unless the worker is still too far ahead.
  void let_waiting_go(const StepContext& context);
  /// Requests the worker to compute its next gradients.
  void advance(const StepContext& context, int worker);
  /// Requests all servers to apply the worker's push, to serve weights to the worker, or both.
  void ask_servers(const StepContext& context, int worker, bool pushes, bool serves);
  Push push_of(const StepContext& context, int worker, bool pushes, bool serves);
  /// Forgets the worker's unpushed results, because they were counted or are not used.
  void drop(int worker);
  /// Adds the results that a push contained to the tally.
  void count(const Task& task);
  /// Removes the task and its round.
  void end(std::uint64_t round);
  // Functions for the replay of a record.
  std::optional<ServerOperation> scripted(int worker) const;
  bool is_turn(const ServerOperation& operation);
  void hold(const StepContext& context, int worker);
  bool rested_here(const StepContext& context) const;
  /// Starts the task of the held-back worker whose turn is next in the record, if there is one.
  void let_held_go(const StepContext& context);
  Round late(std::uint64_t round) const;
  void forget_hopeless(const StepContext& context);
  StepReport report_of(const StepContext& context, double seconds);
  Phase phase(const StepContext& context, const char* name) const;

  std::int64_t max_staleness_;  ///< the largest staleness of a push that is applied; -1: unlimited
  std::optional<ServerRecorder> recorder_;
  std::optional<ServerScript> script_;
  std::set<int> held_;  ///< workers held back until their turn in the record
  Clocks clocks_;
  int longest_leg_;  ///< the largest number of gradients per shard that a worker computes or pushes at once
  bool exchange_failed_ = false;              ///< an exchange between nodes failed
  std::optional<Clock::time_point> left_at_;  ///< the end of the last call of `step`; none during a call
  /// Whether workers have started since the last rest. It stays true even if all of these workers are lost. A record
  /// contains a rest wherever workers are lost or added, so `rest` must be called in this case, too.
  bool begun_ = false;
  bool resting_ = false;
  std::optional<Error> refusal_;  ///< a refused push, found while members came to rest; the next step reports it
  /// Whether every node holds the complete committed version.
  bool whole_ = true;
  std::vector<Round> rounds_;            ///< open rounds
  std::map<std::uint64_t, Task> tasks_;  ///< the outstanding tasks, by round
  std::vector<int> waiting_;             ///< workers that wait because they are too far ahead of others
  std::map<int, Unpushed> unpushed_;     ///< by worker
  /// By worker, the number of pushes that are contained in the weights that the worker fetched last.
  std::map<int, std::int64_t> fetched_;
  std::map<int, std::int64_t> own_since_;  ///< by worker, the number of its own pushes since that fetch
  std::int64_t pushes_ = 0;                ///< the number of pushes that servers were asked to apply
  Tally tally_;
};

}  // namespace troupe
