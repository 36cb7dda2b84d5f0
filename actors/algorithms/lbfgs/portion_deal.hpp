#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <vector>

namespace troupe {

/// Who computes which portions of an evaluation: whoever is free takes the next of his own, then one of those of
/// somebody of the same store who has most left; and when all are dealt out, the oldest that somebody else is at, as a
/// backup (backup tasks of Dean et al. 2012). Of a portion the result that is there first counts. Plain book-keeping.
class PortionDeal {
 public:
  struct Owner {
    int worker = 0;
    int store = 0;
    std::vector<int> portions;  ///< its own
  };
  struct Task {
    int portion = 0;
    int slab = 0;  ///< of the worker's store: the first so many are its portions', spares follow
    bool backup = false;
  };

  /// @param owners in order; portions of a store lie side by side. @param spares slabs beyond portions in each store,
  /// and so backups at a time
  PortionDeal(const std::vector<Owner>& owners, int spares);

  /// What a worker is to do next; none where there is nothing for it.
  std::optional<Task> next(int worker);
  /// It has computed its task. Returns whether that counts.
  bool finish(int worker, const Task& task);
  /// It has left its task, or its result does not count any more.
  void drop(int worker, const Task& task);
  bool complete() const { return left_ == 0; }

  /// By portion, when complete: the slab in its store.
  const std::vector<std::int32_t>& slabs() const { return slabs_; }
  int backups() const { return backups_; }
  /// Of these, those that were there first.
  int won() const { return won_; }

 private:
  struct Store {
    int first_portion = 0;
    int num_portions = 0;
    std::vector<int> spares;  ///< that nobody writes
  };
  struct Outstanding {
    int portion = 0;
    int worker = 0;
    bool backed_up = false;
  };
  std::optional<Task> own_or_others(int worker);
  std::optional<Task> backup_of_others(int worker);

  std::map<int, Owner> owners_;
  std::map<int, std::deque<int>> undealt_;  ///< by worker, of its own
  std::map<int, Store> stores_;
  std::deque<Outstanding> outstanding_;  ///< the oldest first
  std::vector<std::int32_t> slabs_;      ///< -1 until somebody has computed it
  int left_ = 0;
  int backups_ = 0;
  int won_ = 0;
};

}  // namespace troupe
