#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "actors/driver/mailbox.hpp"
#include "actors/driver/reply_checks.hpp"
#include "actors/driver/round.hpp"
#include "actors/placements/cluster.hpp"
#include "actors/placements/committed_weights.hpp"
#include "actors/placements/worker_host.hpp"
#include "actors/worker/model_description.hpp"
#include "collectives/state/slabs.hpp"
#include "models/optimizers/optimizer.hpp"

namespace troupe {

class HeldSignals;

/// Leads the workers: starts and replaces them, takes steps as transactions, and fetches and places weights.
///
/// After an error nothing has changed; the next call first brings the workers back into a known state: those that were
/// lost are replaced under a new generation, the others are waited for.
class Driver {
 public:
  Driver(ModelCreator creator, Options options);
  ~Driver();
  Driver(const Driver&) = delete;
  Driver& operator=(const Driver&) = delete;

  /// One step, committed unless `rehearse`.
  StepReport step(bool rehearse = false);

  void read_weights(const ReadWeights& use);
  void set_weights(std::span<const float> canonical);
  Evaluation evaluate();
  /// Runs a registered function; what it returned in order of worker and device.
  std::vector<std::string> call(TaskKind kind, const std::string& name, bool first_only);

  const Options& options() const { return options_; }
  const ModelDescription& facts() const { return *facts_; }
  std::vector<int> worker_pids() const;

 private:
  struct Slot {
    caf::actor actor;
    bool lost = true;  ///< to be replaced before anything else
    bool built = false;
  };
  /// What goes when the driver goes, unless a worker hangs in it.
  struct Runtime {
    explicit Runtime(const Options& options);
    ObjectStore store;  ///< outlives the actors, which release what they hold in it
    SystemConfig config;
    caf::actor_system system;
    Mailbox mailbox;
    std::unique_ptr<Cluster> cluster;  ///< where nodes are
    std::unique_ptr<WorkerHost> host;
  };
  /// A transfer object, for as long as it is needed.
  struct Transfer {
    Transfer(Driver& driver, const Deadline& until, int beside = 0)
        : weights(*driver.weights_),
          worker(beside),
          number(++driver.last_transfer_),
          deadline(until),
          exceptions(std::uncaught_exceptions()) {}
    ~Transfer() { weights.drop(number, worker, std::uncaught_exceptions() > exceptions, deadline); }
    Transfer(const Transfer&) = delete;
    Transfer& operator=(const Transfer&) = delete;

    CommittedWeights& weights;
    int worker;  ///< who writes or reads it
    std::uint64_t number;
    Deadline deadline;
    int exceptions;
  };
  struct Reduced {
    double loss = 0;
    std::int64_t samples = 0;
  };

  // driver_start.cpp
  /// Also fills in what follows from other options.
  void check_options();
  void find_cluster();
  void check_cluster_options() const;
  std::unique_ptr<WorkerHost> make_host();
  std::unique_ptr<CommittedWeights> make_weights();
  void gather_nodes(const Deadline& deadline);
  PlanRequest plan_request() const;
  /// Brings the workers into a known state.
  void settle();
  void replace_lost_workers(const Deadline& deadline);
  void start_lost_workers();
  void restart(int worker);
  void wait_for_joins(const Deadline& deadline, const HeldSignals& held);
  void accept_join(const Joined& joined);
  void build_replicas(const Deadline& deadline);
  void check_built(const Built& built);
  void start_generation(const Deadline& deadline);
  void attach_all(bool share, const Deadline& deadline);
  void initialize_weights(const Deadline& deadline);
  void shut_down() noexcept;

  // driver_step.cpp
  std::vector<Computed> compute(const Deadline& deadline);
  Reduced combine(const std::vector<Computed>& computed) const;
  void reduce_here(std::int64_t samples) const;
  /// @param computed the round in which the gradients were computed.
  std::vector<Applied> apply(std::int64_t samples, std::uint64_t computed, const Deadline& deadline);
  /// @throws Error non_finite_weights where a worker wrote what is not finite.
  void check_finite(const std::vector<Applied>& applied, const Deadline& deadline);
  /// Of all that these workers wrote, and who wrote it.
  std::pair<NonFinite, int> find_non_finite(const std::vector<int>& workers, const Deadline& deadline);
  StepReport report_of(const std::vector<Computed>& computed, const Reduced& reduced) const;

  // driver_tasks.cpp
  /// What a worker is to answer a task with.
  Wanted wanted(const Task& task, int worker) const;
  std::vector<TaskDone> run_task(Task task, const std::vector<int>& on, const char* phase, const Deadline& deadline);
  void transfer(const std::function<void()>& work);
  /// What a worker's replicas keep since they ran a function.
  std::vector<std::string> fetch_texts(const TaskDone& done, const Deadline& deadline);
  /// Makes flat weights in a transfer object the committed ones.
  void place_weights(const Transfer& flat, const Deadline& deadline);

  // driver_rounds.cpp
  std::vector<int> all_workers() const;
  std::vector<int> workers_with_slices() const;
  Range shards_of_worker(int worker) const;
  // Members are workers, by their index, and after them nodes.
  int member_of_node(int node) const { return options_.num_workers + node; }
  bool is_node(int member) const { return member >= options_.num_workers; }
  const caf::actor& actor_of(int member) const;
  bool is_lost(int member) const;
  /// Whether a reply speaks for its sender; a node that speaks for others is ended.
  bool is_from(int member, const caf::actor_addr& sender);
  std::string missing_text(const Round& round) const;
  Where where(int member, const char* phase) const;
  /// Sends `message` to each of `to` and gathers one `Reply` of each, in order of member. `prepare` is told whom the
  /// message goes to next.
  template <class Reply, class Message>
  std::vector<Reply> ask(Message message, const std::vector<int>& to, const char* phase, const Deadline& deadline);
  template <class Reply, class Message, class Prepare>
  std::vector<Reply> ask(Message message, const std::vector<int>& to, const char* phase, const Deadline& deadline,
                         Prepare prepare);
  /// The next event of interest; none when the deadline passes. @throws Error worker_lost as `throw_if_lost`
  std::optional<Event> next_event(const Round& round, const char* phase, const Deadline& deadline);
  void note_end(const Ended& ended);
  /// @throws Error worker_lost when the round waits for somebody who is gone.
  void throw_if_lost(const Round& round, const char* phase) const;
  using Failures = std::vector<std::pair<int, Failure>>;  ///< by member
  /// Who waited for a node may have waited for one that waited itself: of the blamed nodes, one that has not answered.
  [[noreturn]] void throw_blame(const Round& round, const Failures& failures, const char* phase) const;
  [[noreturn]] void time_out(const Round& round, const char* phase);

  ModelCreator creator_;
  Options options_;
  Optimizer optimizer_;
  std::unique_ptr<Runtime> runtime_;
  std::unique_ptr<StoreClient> store_;
  std::vector<Slot> slots_;
  std::optional<ModelDescription> facts_;
  Plan plan_;
  std::vector<int> appliers_;  ///< workers that have a part in reducing and applying
  SlabLayout layout_;
  std::unique_ptr<CommittedWeights> weights_;
  std::uint64_t last_round_ = 0;
  std::uint64_t last_transfer_ = 0;
  bool initialized_ = false;
  bool hung_ = false;           ///< a worker of this process was given up and may still run
  std::uint64_t attached_ = 0;  ///< the generation that all workers know
  bool settled_ = false;        ///< no worker is lost and none may still be busy with what failed
  std::int64_t step_ = 0;       ///< committed
  std::int64_t updates_ = 0;    ///< that made the optimizer's state
  int buffer_ = 0;              ///< holds the committed weights and state
};

}  // namespace troupe
