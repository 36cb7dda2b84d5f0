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

/// The workers of a trainer: starts them, and replaces those that are lost.
class WorkerPool {
 public:
  /// @throws Error
  explicit WorkerPool(TrainerOptions options, MakeRuntime make_runtime = make_actor_runtime);
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  /// All are there: lost ones are replaced, and those that were done without come again.
  void settle();
  /// Counts a loss. @throws Error where the budget is spent
  void count_loss(const Error& loss);
  /// All are there again; where the number is a range, without those that are lost. In a cluster all begin anew, on the
  /// nodes that come. @throws Error worker_lost for another loss, or why workers cannot start
  void recover();
  /// Ends a worker whose function does not end.
  void give_up(int worker);
  /// Functions on all workers can reach each other. @throws Error
  void begin_group(std::uint64_t run, std::uint64_t generation, const Phase& phase) {
    runtime_->host->begin_group(run, generation, *rounds_, phase);
  }
  /// A function still runs that nobody waits for.
  void note_hanging() { hangs_ = true; }

  const TrainerOptions& options() const { return options_; }
  Rounds& rounds() { return *rounds_; }
  int num_workers() const { return runtime_ ? runtime_->members.num_workers() : wanted_; }
  /// Of a pool that is settled.
  const Members& members() const { return runtime_->members; }
  /// Where it is, as errors say it.
  std::string node_of(int worker) const { return runtime_->host->node(worker); }
  std::vector<WorkerInfo> workers() const;

 private:
  void form();
  void form_again();
  void shut_down() noexcept;
  /// With which as many are there as should be.
  void fill_up();
  void replace_lost();

  const LiveRun live_;
  TrainerOptions options_;
  Hosting hosting_;
  int wanted_ = 1;  ///< workers
  FailureBudget budget_;
  MakeRuntime make_runtime_;
  std::unique_ptr<Runtime> runtime_;  ///< null where it could not be formed again
  std::unique_ptr<Rounds> rounds_;
  bool hangs_ = false;
};

}  // namespace troupe
