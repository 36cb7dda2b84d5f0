#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <vector>

namespace troupe {

/// Assigns the portions of an evaluation to workers. A free worker takes its own next portion. If it has none, it takes
/// a portion from the worker of the same store that has the most left. When all portions are assigned, it takes the
/// oldest unfinished portion of another worker as a backup (backup tasks of Dean et al. 2012). The first result of a
/// portion counts. Sends nothing.
class PortionDeal {
 public:
  struct Owner {
    int worker = 0;
    int store = 0;
    std::vector<int> portions;  ///< the worker's own portions
  };
  struct Task {
    int portion = 0;
    int slab = 0;  ///< slab of the worker's store: the first slabs belong to its portions, the spares follow
    bool backup = false;
  };

  /// @param owners in order; the portions of a store are consecutive. @param spares slabs in each store in addition to
  /// those of portions; this is also the limit of concurrent backups
  PortionDeal(const std::vector<Owner>& owners, int spares);

  /// Returns the worker's next task, or none if no work is left for it.
  std::optional<Task> next(int worker);
  /// Records that the worker has finished its task. Returns whether the result counts.
  bool finish(int worker, const Task& task);
  /// Records that the worker has abandoned its task, or that the result no longer counts.
  void drop(int worker, const Task& task);
  bool complete() const { return left_ == 0; }

  /// The slab of each portion in its store, once complete.
  const std::vector<std::int32_t>& slabs() const { return slabs_; }
  int backups() const { return backups_; }
  /// The backups that finished first.
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
  std::map<int, std::deque<int>> undealt_;  ///< by worker, its own portions
  std::map<int, Store> stores_;
  std::deque<Outstanding> outstanding_;  ///< the oldest first
  std::vector<std::int32_t> slabs_;      ///< -1 until the portion is computed
  int left_ = 0;
  int backups_ = 0;
  int won_ = 0;
};

}  // namespace troupe
