#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "actors/driver/faults/failure_budget.hpp"
#include "actors/placements/runtime.hpp"
#include "actors/rounds/rounds.hpp"
#include "runtime/fork/owning_process.hpp"
#include "troupe/trainer.hpp"

namespace troupe {

/// The workers of a trainer: starts them and replaces lost ones.
class WorkerPool {
 public:
  /// @throws Error
  explicit WorkerPool(TrainerOptions options, MakeRuntime make_runtime = make_actor_runtime);
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  /// Makes the pool complete: replaces lost workers and starts workers that the pool has run without.
  void settle();
  /// Counts a loss.
  /// @throws Error if the budget is exhausted
  void count_loss(const Error& loss);
  /// Restores the pool after a loss. If num_workers is a range, continues without lost workers, down to the minimum. In
  /// a cluster all workers start again, on the nodes that join.
  /// @throws Error worker_lost for another loss, or the reason why workers cannot start
  void recover();
  /// Ends a worker whose function does not end.
  void give_up(int worker);
  /// Connects the functions on all workers as a group.
  /// @throws Error
  void begin_group(std::uint64_t run, std::uint64_t generation, const Phase& phase) {
    runtime_->host->begin_group(run, generation, *rounds_, phase);
  }
  /// Records that an abandoned function still runs.
  void note_hanging() { hangs_ = true; }

  const TrainerOptions& options() const { return options_; }
  Rounds& rounds() { return *rounds_; }
  int num_workers() const { return runtime_ ? runtime_->members.num_workers() : wanted_; }
  /// The pool must be settled.
  const Members& members() const { return runtime_->members; }
  /// Returns the worker's node, for errors.
  std::string node_of(int worker) const { return runtime_->host->node(worker); }
  std::vector<WorkerInfo> workers() const;

 private:
  void form();
  void form_again();
  void shut_down() noexcept;
  /// Adds workers up to the wanted number.
  void fill_up();
  void replace_lost();

  const LiveRun live_;
  TrainerOptions options_;
  Hosting hosting_;
  int wanted_ = 1;  ///< number of workers
  FailureBudget budget_;
  MakeRuntime make_runtime_;
  std::unique_ptr<Runtime> runtime_;  ///< null if it could not be formed again
  std::unique_ptr<Rounds> rounds_;
  bool hangs_ = false;
};

}  // namespace troupe
