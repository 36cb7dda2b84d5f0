#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <vector>

namespace troupe {

/// Assigns the portions of one evaluation of L-BFGS to workers. A free worker gets the next of its own portions. If all
/// of its own portions are assigned, the worker gets a portion of another worker: of the worker with the same object
/// store that has the most unassigned portions. If all portions of the store are assigned, the free worker becomes a
/// backup: it computes the oldest unfinished portion of another worker a second time ("backup tasks", Dean et al.
/// 2012). The first result of a portion counts. This class sends no messages.
class PortionDeal {
 public:
  struct Owner {
    int worker = 0;
    /// The number of the object store (the node) in which the worker stores gradients.
    int store = 0;
    std::vector<int> portions;  ///< the worker's own portions
  };
  struct Task {
    int portion = 0;
    /// The index, in the worker's store, of the slab for the gradient. The slabs of the store's portions have the
    /// lowest indices; the spare slabs follow.
    int slab = 0;
    /// Whether another worker already computes this portion.
    bool backup = false;
  };

  /// @param owners the workers and their own portions, in order: the portions of each store must be consecutive
  /// @param spares the number of spare slabs in each store, in addition to one slab per portion. Each backup needs a
  /// spare slab, so this is also the largest number of backups that compute at the same time in one store.
  PortionDeal(const std::vector<Owner>& owners, int spares);

  /// Returns the next task of `worker`, or none if no work is left for this worker.
  std::optional<Task> next(int worker);
  /// Records that `worker` has finished `task`. Returns true if this is the first result of the task's portion.
  /// Otherwise the result is not used.
  bool finish(int worker, const Task& task);
  /// Records that `worker` has abandoned `task`, or that the result of `task` is not used.
  void drop(int worker, const Task& task);
  /// Returns whether every portion has a result.
  bool complete() const { return left_ == 0; }

  /// Returns, by portion, the index of the slab that contains the portion's gradient in its store. Call it only if
  /// `complete` returns true.
  const std::vector<std::int32_t>& slabs() const { return slabs_; }
  /// Returns the number of backup tasks that were assigned.
  int backups() const { return backups_; }
  /// Returns the number of backup tasks whose results counted, because they finished before the original task.
  int won() const { return won_; }

 private:
  struct Store {
    int first_portion = 0;
    int num_portions = 0;
    std::vector<int> spares;  ///< the indices of the unused spare slabs
  };
  /// A portion that a worker is computing.
  struct Outstanding {
    int portion = 0;
    int worker = 0;
    bool backed_up = false;
  };
  std::optional<Task> own_or_others(int worker);
  std::optional<Task> backup_of_others(int worker);

  std::map<int, Owner> owners_;
  std::map<int, std::deque<int>> undealt_;  ///< by worker: those of its own portions that are not assigned yet
  std::map<int, Store> stores_;
  std::deque<Outstanding> outstanding_;  ///< assigned portions without a result, the oldest first
  std::vector<std::int32_t> slabs_;      ///< by portion: the slab with its gradient; -1 until the portion is computed
  /// The number of portions without a result.
  int left_ = 0;
  int backups_ = 0;
  int won_ = 0;
};

}  // namespace troupe
