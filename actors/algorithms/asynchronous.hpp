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

/// Replicas on their own clocks, and parameter servers that apply what they push: Downpour SGD of Dean et al.
/// 2012, 4.1, and, where the clocks are bound to each other, the stale synchronous parallel of Ho et al. 2013.
///
/// The driver says in which order servers apply pushes and serve weights, the same for all of them, and moves no
/// floats. A gradient of one shard moves the weights as far as it does in a synchronous step: by the rate times its
/// share of a step's gradients. While calls of `step()` follow each other workers go on computing between them; for all
/// else they come to `rest`.
class AsynchronousRunner : public AlgorithmRunner {
 public:
  /// @param max_staleness as Downpour's
  AsynchronousRunner(const Clocks::Rules& rules, const ServerFiles& files, int max_staleness = -1);

  bool has_servers() const override { return true; }
  /// Returns when as many gradients have been applied since it returned last as there are shards.
  StepReport step(const StepContext& context, const Deadline& deadline, bool rehearse) override;
  bool under_way() const override { return begun_; }
  void rest(const StepContext& context, const Deadline& deadline) override;
  bool must_rest() const override { return exchange_failed_; }
  bool whole() const override { return whole_; }
  void make_whole(const StepContext& context, const Deadline& deadline) override;
  void abandon(const StepContext& context, const Deadline& deadline) override;
  void forget() override;

 private:
  /// What a worker, or the servers for it, are busy with.
  struct Task {
    int worker = 0;
    bool pushes = false;  ///< the servers, who apply what it has pushed
    bool serves = false;  ///< the servers, who serve it weights
    Clocks::Leg leg;      ///< the worker itself
    Deadline deadline{std::chrono::milliseconds(0)};
    int awaited = 1;
    std::optional<Error> error = {};  ///< of who answered
    bool refused = false;             ///< what is not finite
    int refused_by = -1;              ///< the server that says so
    bool of_finite_weights = true;
    std::int64_t staleness = 0;  ///< of what is pushed
    double seconds = 0;          ///< of the worker, or the slowest server

    bool is_of_worker() const { return !pushes && !serves; }
    const char* name() const { return pushes ? "apply" : serves ? "fetch" : "compute"; }
  };
  /// What a worker has computed and not pushed.
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
  /// What has been applied since `step` returned last.
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
    std::vector<std::int64_t> staleness;  ///< pushes by how stale they were
    std::int64_t bytes_pushed = 0;
    std::int64_t bytes_fetched = 0;
    std::int64_t bytes_sent = 0;  ///< between nodes
  };

  /// The end of a call of `step`, after which workers go on.
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
  /// Has workers begin who do nothing.
  void begin(const StepContext& context);
  /// Waits for one thing that happens, and follows it up. @throws Error, and what it is about is no task any more
  void go_on(const StepContext& context);
  template <class Reply>
  void take(const StepContext& context, const From<Reply>& from);
  void note(Task& task, const From<Advanced>& from);
  void note(Task& task, const From<Pushed>& from);
  void end_leg(const StepContext& context, const Task& task);
  void end_push(const StepContext& context, const Task& task);
  /// What a worker does next.
  void follow_up(const StepContext& context, int worker);
  void let_waiting_go(const StepContext& context);
  void advance(const StepContext& context, int worker);
  /// Has the servers apply what the worker has pushed, serve it, or both.
  void ask_servers(const StepContext& context, int worker, bool pushes, bool serves);
  Push push_of(const StepContext& context, int worker, bool pushes, bool serves);
  /// What it has not pushed is dropped, or has been counted.
  void drop(int worker);
  void count(const Task& task);
  void end(std::uint64_t round);
  // Of a record.
  std::optional<ServerOperation> scripted(int worker) const;
  bool is_turn(const ServerOperation& operation);
  void hold(const StepContext& context, int worker);
  bool rested_here(const StepContext& context) const;
  void let_held_go(const StepContext& context);
  Round late(std::uint64_t round) const;
  void forget_hopeless(const StepContext& context);
  StepReport report_of(const StepContext& context, double seconds);
  Phase phase(const StepContext& context, const char* name) const;

  std::int64_t max_staleness_;  ///< in pushes of others; -1: none
  std::optional<ServerRecorder> recorder_;
  std::optional<ServerScript> script_;
  std::set<int> held_;  ///< workers whose turn it is not yet
  Clocks clocks_;
  int longest_leg_;                           ///< gradients of each shard that are computed or pushed at once
  bool exchange_failed_ = false;              ///< between nodes
  std::optional<Clock::time_point> left_at_;  ///< while no call of `step` is being made
  /// Somebody has begun since all rested last, though nobody may be left who is at work: a record has a rest wherever
  /// workers come and go.
  bool begun_ = false;
  bool resting_ = false;
  std::optional<Error> refusal_;  ///< found while all came to rest
  bool whole_ = true;
  std::vector<Round> rounds_;              ///< that are open
  std::map<std::uint64_t, Task> tasks_;    ///< by round
  std::vector<int> waiting_;               ///< workers who are too far ahead
  std::map<int, Unpushed> unpushed_;       ///< by worker
  std::map<int, std::int64_t> fetched_;    ///< by worker, the pushes that what it has fetched holds
  std::map<int, std::int64_t> own_since_;  ///< by worker, its own pushes since
  std::int64_t pushes_ = 0;                ///< that servers have been asked to apply
  Tally tally_;
};

}  // namespace troupe
