#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "actors/driver/faults/failure_budget.hpp"
#include "actors/driver/node_changes.hpp"
#include "actors/placements/runtime.hpp"
#include "actors/rounds/rounds.hpp"
#include "runtime/fork/owning_process.hpp"
#include "troupe/trainer.hpp"

namespace troupe {

/// The workers of a trainer. Starts them, and replaces lost workers.
class WorkerPool {
 public:
  /// Checks `options`, and starts all workers.
  /// @param make_runtime creates the environment in which the workers run; tests can replace it
  /// @throws Error if an option is invalid or the workers cannot be started
  explicit WorkerPool(TrainerOptions options, MakeRuntime make_runtime = make_actor_runtime);
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  /// Makes the pool complete: replaces lost workers, and starts the workers that were removed after earlier losses.
  void settle();
  /// Counts the loss `loss` of workers in the failure budget.
  /// @throws Error if the failure budget is exhausted
  void count_loss(const Error& loss);
  /// Restores the pool after a loss. In a cluster, ends all workers and starts all of them again, on the nodes that
  /// join. Otherwise, if num_workers is a range, removes lost workers from the pool, but keeps at least the minimum
  /// number of workers. Then replaces the lost workers that are still in the pool.
  /// @throws Error worker_lost if another worker is lost during the restoration; another error if workers cannot be
  /// started
  void recover();
  /// Ends a worker whose function does not end, and marks the worker as lost. If the worker is a thread of this
  /// process, it cannot be ended, so it is abandoned.
  void give_up(int worker);
  /// Prepares the group in which the functions on all workers run collectives, if the placement requires a preparation.
  /// @throws Error the error of a worker or node that fails meanwhile, such as worker_lost
  void begin_group(std::uint64_t run, std::uint64_t generation, const Phase& phase) {
    runtime_->host->begin_group(run, generation, *rounds_, phase);
  }

  const TrainerOptions& options() const { return options_; }
  Rounds& rounds() { return *rounds_; }
  int num_workers() const { return runtime_ ? runtime_->members.num_workers() : wanted_; }
  /// Returns the members of the pool. The pool must have workers: its last `settle` or `recover` must have succeeded.
  const Members& members() const { return runtime_->members; }
  /// Returns the name of the node of a worker, for error messages.
  std::string node_of(int worker) const { return runtime_->host->node(worker); }
  std::vector<WorkerInfo> workers() const;

 private:
  void form();
  void form_again();
  void shut_down() noexcept;
  /// If nodes of a cluster want to join or leave, ends all workers, so that `settle` starts them on the other nodes.
  void follow_nodes();
  /// Adds workers to the pool until it has `wanted_` workers. The new workers are not started yet; `replace_lost`
  /// starts them.
  void fill_up();
  void replace_lost();

  const LiveRun live_;
  TrainerOptions options_;
  Hosting hosting_;
  int expected_nodes_ = 0;  ///< the number of nodes that are known to join when workers are started next; 0: unknown
  NodeChanges node_changes_;
  int wanted_ = 1;  ///< the number of workers that the pool should have
  FailureBudget budget_;
  MakeRuntime make_runtime_;
  std::unique_ptr<Runtime> runtime_;  ///< null if the pool has no workers, because they could not be started again
  std::unique_ptr<Rounds> rounds_;
  bool hangs_ = false;
};

}  // namespace troupe
