#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <vector>

namespace troupe {

/// Assigns the portions of an evaluation to workers. A free worker gets the next of its own portions. If all of these
/// are assigned, it gets a portion from the worker of the same store that has the most left. When all portions of the
/// store are assigned, it becomes a backup: it gets the oldest unfinished portion of another worker (backup tasks of
/// Dean et al. 2012). The first result of a portion counts. This class sends no messages.
class PortionDeal {
 public:
  struct Owner {
    int worker = 0;
    int store = 0;
    std::vector<int> portions;  ///< the worker's own portions
  };
  struct Task {
    int portion = 0;
    int slab = 0;  ///< a slab of the worker's store: first come the slabs of the store's portions, then the spares
    bool backup = false;
  };

  /// @param owners in order: the portions of a store must be consecutive
  /// @param spares slabs in each store in addition to the slabs of portions. This number also limits how many backups
  /// of a store compute at the same time.
  PortionDeal(const std::vector<Owner>& owners, int spares);

  /// Returns the worker's next task, or none if no work is left for it.
  std::optional<Task> next(int worker);
  /// Records that the worker has finished its task. Returns whether the result counts, because it is the first result
  /// of its portion.
  bool finish(int worker, const Task& task);
  /// Records that the worker has abandoned its task, or that its result is not used.
  void drop(int worker, const Task& task);
  bool complete() const { return left_ == 0; }

  /// Returns the slab of each portion in its store. Call it when `complete`.
  const std::vector<std::int32_t>& slabs() const { return slabs_; }
  int backups() const { return backups_; }
  /// Returns how many backups finished first.
  int won() const { return won_; }

 private:
  struct Store {
    int first_portion = 0;
    int num_portions = 0;
    std::vector<int> spares;  ///< unused spare slabs
  };
  struct Outstanding {
    int portion = 0;
    int worker = 0;
    bool backed_up = false;
  };
  std::optional<Task> own_or_others(int worker);
  std::optional<Task> backup_of_others(int worker);

  std::map<int, Owner> owners_;
  std::map<int, std::deque<int>> undealt_;  ///< by worker, those of its own portions that are not assigned yet
  std::map<int, Store> stores_;
  std::deque<Outstanding> outstanding_;  ///< assigned portions without a result, the oldest first
  std::vector<std::int32_t> slabs_;      ///< by portion; -1 until the portion is computed
  int left_ = 0;
  int backups_ = 0;
  int won_ = 0;
};

}  // namespace troupe
