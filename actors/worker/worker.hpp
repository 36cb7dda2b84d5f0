#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "actors/messages/messages.hpp"
#include "actors/node/node_service.hpp"
#include "actors/worker/model_description.hpp"
#include "actors/worker/task_queue.hpp"
#include "actors/worker/turns.hpp"
#include "collectives/state/slabs.hpp"
#include "models/optimizers/optimizer.hpp"
#include "runtime/store/store_client.hpp"

namespace troupe {

/// One model on one device of a worker, and the shards it works on.
struct Replica {
  ReplicaContext context;
  std::unique_ptr<Model> model;
  ModelDescription description;
  std::vector<BatchResult> computed;        ///< by position in context.shards
  std::vector<EvaluationResult> evaluated;  ///< likewise
  ExchangeReport spent;
  bool finite = true;    ///< what the last apply wrote
  NonFinite non_finite;  ///< where it is not
  std::string text;
  bool lightweight = false;  ///< its queue runs inline
  TaskQueue queue;
};

/// What a worker does, without the actor around it. Every request ends in one call of `done`, on the thread of the
/// replica that finished last. Requests are carried out in order, replica by replica.
class Worker : public std::enable_shared_from_this<Worker> {
 public:
  template <class Reply>
  using Done = std::function<void(Reply)>;

  /// @param creator for workers of the driver's process; others look theirs up by name.
  /// @param node what a worker shares with the others of its node; null where there are no nodes.
  Worker(int index, std::unique_ptr<StoreClient> store, CreateModel creator, std::shared_ptr<NodeService> node = {});

  int index() const { return index_; }
  void build(const Build& request, Done<Built> done);
  void attach(const Attach& request, Done<TaskDone> done);
  void compute(const Compute& request, Done<Computed> done);
  void apply(const Apply& request, Done<Applied> done);
  void task(const Task& request, const Done<TaskDone>& done);

 private:
  using Work = std::function<void(Replica&)>;
  using Finish = std::function<void(Failure)>;
  using TaskWork = void (Worker::*)(Replica&, const Task&);

  /// Runs `work` on the threads of the first `count` replicas and then `finish` with the first failure.
  void on_replicas(std::size_t count, ErrorCode otherwise, Work work, Finish finish);

  /// Without their models.
  void make_replicas(const Build& request);
  void create_replica(Replica& replica, const Build& request) const;
  Built describe_replicas(const Build& request, Failure failure);
  void make_slabs(const Attach& request);
  /// Number of a replica among those of the run.
  int lane_of(const Replica& replica) const;
  void compute_replica(Replica& replica, const Compute& request) const;
  void apply_replica(Replica& replica, const Apply& request) const;
  /// Of gradients that were computed in that round.
  /// @param driver how long it waits
  NodeExchange::Work exchange_work(const Replica& replica, std::uint64_t computed, const Deadline& driver) const;

  void finish_task(const Task& request, std::size_t count, TaskWork work, const Done<TaskDone>& done);
  static void collect(const Replica& replica, const Task& request, TaskDone& reply);
  void do_nothing(Replica& replica, const Task& request);
  void stop_replica(Replica& replica, const Task& request);
  void transfer_weights(Replica& replica, const Task& request);
  void export_texts(Replica& replica, const Task& request);
  void find_non_finite(Replica& replica, const Task& request);
  void evaluate_replica(Replica& replica, const Task& request);
  void call_model(Replica& replica, const Task& request);
  void call_worker(Replica& replica, const Task& request);

  int index_;
  std::unique_ptr<StoreClient> store_;
  CreateModel creator_;
  std::shared_ptr<NodeService> node_;
  PlanRequest plan_request_;
  Plan plan_;
  std::uint64_t seed_ = 0;
  std::unique_ptr<Turns> turns_;  ///< at computing
  SlabLayout layout_;
  std::unique_ptr<WorkerSlabs> slabs_;
  std::shared_ptr<NodeExchange> exchange_;  ///< with other nodes, if any
  std::unique_ptr<Optimizer> optimizer_;
  std::vector<std::unique_ptr<Replica>> replicas_;  ///< the last member: its threads use the others
};

}  // namespace troupe
