#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <vector>

#include "actors/algorithms/lbfgs/portion_deal.hpp"
#include "runtime/random.hpp"

using namespace troupe;

namespace {

using Task = PortionDeal::Task;

/// Returns workers with the given numbers of portions, grouped by store.
std::vector<PortionDeal::Owner> owners_in_stores(const std::vector<std::vector<int>>& portions_by_store) {
  std::vector<PortionDeal::Owner> owners;
  int portion = 0;
  for (std::size_t store = 0; store < portions_by_store.size(); ++store)
    for (const int count : portions_by_store[store]) {
      PortionDeal::Owner owner{static_cast<int>(owners.size()), static_cast<int>(store), {}};
      for (int i = 0; i < count; ++i) owner.portions.push_back(portion++);
      owners.push_back(owner);
    }
  return owners;
}

/// Simulates workers that finish and drop tasks in random order. Checks each task when it is dealt out.
class DealTrial {
 public:
  DealTrial(std::vector<PortionDeal::Owner> owners, int spares, std::uint64_t seed)
      : owners_(std::move(owners)), spares_(spares), deal_(owners_, spares), random_(seed) {
    for (const auto& owner : owners_) {
      if (!first_portion_.contains(owner.store)) first_portion_[owner.store] = portions_;
      portions_ += static_cast<int>(owner.portions.size());
      portions_of_[owner.store] += static_cast<int>(owner.portions.size());
    }
    counted_.resize(static_cast<std::size_t>(portions_));
  }

  void run() {
    while (!deal_.complete()) {
      for (std::size_t worker = 0; worker < owners_.size(); ++worker)
        while (tasks_[worker].size() < 1 + worker % 2)  // workers with odd numbers have two replicas
          if (!begin(worker)) break;
      finish_one();
    }
    // The coordinator abandons the tasks that are still running.
    for (auto& [worker, tasks] : tasks_)
      for (const Task& task : tasks) random_.below(2) == 0 ? drop(worker, task) : finish(worker, task);
    check_end();
  }

 private:
  bool begin(std::size_t worker) {
    const auto task = deal_.next(static_cast<int>(worker));
    if (!task) return false;
    const auto& owner = owners_[worker];
    const auto portion = static_cast<std::size_t>(task->portion);
    const int first = first_portion_.at(owner.store);
    // The portion belongs to the worker's store and has not been computed yet.
    REQUIRE(task->portion >= first);
    REQUIRE(task->portion < first + portions_of_.at(owner.store));
    REQUIRE(counted_[portion] == 0);
    REQUIRE(written_.insert({owner.store, task->slab}).second);
    if (task->backup) {
      REQUIRE(task->slab >= portions_of_.at(owner.store));
      REQUIRE(task->slab < portions_of_.at(owner.store) + spares_);
      REQUIRE(at_.at(task->portion) != worker);
      REQUIRE(dealt_.size() == static_cast<std::size_t>(portions_dealt_elsewhere(owner.store)));
      ++backups_;
    } else {
      REQUIRE(task->slab == task->portion - first);
      REQUIRE(dealt_.insert(task->portion).second);
      const bool own = std::ranges::count(owner.portions, task->portion) > 0;
      if (!own)
        for (const int each : owner.portions) REQUIRE(dealt_.contains(each));
      at_[task->portion] = worker;
    }
    tasks_[worker].push_back(*task);
    return true;
  }

  /// Returns the number of portions that would be dealt out if all portions of `store` were dealt out.
  int portions_dealt_elsewhere(int store) const {
    int count = portions_of_.at(store);
    for (const int portion : dealt_) {
      const int first = first_portion_.at(store);
      if (portion < first || portion >= first + portions_of_.at(store)) ++count;
    }
    return count;
  }

  void finish_one() {
    std::vector<std::size_t> busy;
    for (const auto& [worker, tasks] : tasks_)
      if (!tasks.empty()) busy.push_back(worker);
    REQUIRE_FALSE(busy.empty());
    const std::size_t worker = busy[random_.below(busy.size())];
    const Task task = tasks_[worker].front();
    tasks_[worker].erase(tasks_[worker].begin());
    finish(worker, task);
  }

  void finish(std::size_t worker, const Task& task) {
    const auto portion = static_cast<std::size_t>(task.portion);
    const bool counts = deal_.finish(static_cast<int>(worker), task);
    REQUIRE(counts == (counted_[portion] == 0));
    const int store = owners_[worker].store;
    // A slab with a counted result must never get another writer.
    if (!counts) written_.erase({store, task.slab});
    if (!counts) return;
    ++counted_[portion];
    slab_of_[task.portion] = task.slab;
    won_ += task.backup ? 1 : 0;
  }

  void drop(std::size_t worker, const Task& task) {
    deal_.drop(static_cast<int>(worker), task);
    written_.erase({owners_[worker].store, task.slab});
  }

  void check_end() {
    for (const int count : counted_) REQUIRE(count == 1);
    REQUIRE(deal_.backups() == backups_);
    REQUIRE(deal_.won() == won_);
    for (const auto& [portion, slab] : slab_of_) REQUIRE(deal_.slabs()[static_cast<std::size_t>(portion)] == slab);
    std::set<std::pair<int, int>> different;
    for (const auto& owner : owners_)
      for (const int portion : owner.portions)
        REQUIRE(different.insert({owner.store, deal_.slabs()[static_cast<std::size_t>(portion)]}).second);
  }

  std::vector<PortionDeal::Owner> owners_;
  int spares_;
  PortionDeal deal_;
  Random random_;
  int portions_ = 0;
  std::map<int, int> first_portion_;  ///< by store
  std::map<int, int> portions_of_;
  std::map<std::size_t, std::vector<Task>> tasks_;
  std::map<int, std::size_t> at_;          ///< the worker of each portion
  std::set<int> dealt_;                    ///< portions that are dealt out
  std::set<std::pair<int, int>> written_;  ///< slabs, by store, that are being written or have a counted result
  std::vector<int> counted_;
  std::map<int, int> slab_of_;
  int backups_ = 0;
  int won_ = 0;
};

}  // namespace

TEST_CASE("every portion counts once for any order in which workers finish, and no slab has two writers") {
  for (std::uint64_t seed = 0; seed < 2'000; ++seed) {
    CAPTURE(seed);
    Random random(seed, 1);
    std::vector<std::vector<int>> portions(1 + random.below(3));
    for (auto& store : portions)
      for (std::uint64_t worker = 0; worker <= random.below(4); ++worker)
        store.push_back(static_cast<int>(random.below(6)));
    portions[0][0] += 1;
    DealTrial(owners_in_stores(portions), static_cast<int>(random.below(4)), seed).run();
  }
}

TEST_CASE("a worker gets its own portions first, then the last portion of the worker with the most remaining") {
  PortionDeal deal(owners_in_stores({{1, 3, 2}}), 0);
  CHECK(deal.next(0)->portion == 0);
  CHECK(deal.next(2)->portion == 4);
  CHECK(deal.next(0)->portion == 3);
  CHECK(deal.next(1)->portion == 1);
  CHECK(deal.next(2)->portion == 5);
  CHECK(deal.next(2)->portion == 2);
  CHECK_FALSE(deal.next(0));
  CHECK_FALSE(deal.complete());
}

TEST_CASE("workers never get portions of another store") {
  PortionDeal deal(owners_in_stores({{1}, {3}}), 2);
  const auto own = deal.next(0);
  REQUIRE(own);
  CHECK_FALSE(deal.next(0));
  CHECK(deal.finish(0, *own));
  CHECK_FALSE(deal.next(0));
  const auto other = deal.next(1);
  REQUIRE(other);
  CHECK(other->portion == 1);
  CHECK(other->slab == 0);
  CHECK_FALSE(deal.next(0));
}

TEST_CASE("backups repeat the oldest running portions, once each, and one spare slab is needed for each backup") {
  PortionDeal deal(owners_in_stores({{2, 2, 0, 0}}), 1);
  const auto first = deal.next(1);
  const auto second = deal.next(0);
  const auto third = deal.next(0);
  const auto fourth = deal.next(1);
  REQUIRE((first && second && third && fourth));
  const auto backup = deal.next(2);
  REQUIRE(backup);
  CHECK(backup->backup);
  CHECK(backup->portion == first->portion);
  CHECK(backup->slab == 4);
  CHECK_FALSE(deal.next(3));  // no spare slab is left
  CHECK(deal.finish(2, *backup));
  CHECK(deal.won() == 1);
  CHECK_FALSE(deal.finish(1, *first));  // the backup's result counts
  CHECK_FALSE(deal.next(3));            // the spare slab has a counted result
  CHECK(deal.finish(0, *second));
  CHECK(deal.finish(0, *third));
  CHECK(deal.finish(1, *fourth));
  CHECK(deal.complete());
  CHECK(deal.slabs() == std::vector<std::int32_t>{0, 1, 4, 3});
  CHECK(deal.backups() == 1);
}

TEST_CASE("a backup that loses or is dropped frees its slab") {
  PortionDeal deal(owners_in_stores({{2, 0}}), 1);
  const auto first = deal.next(0);
  const auto second = deal.next(0);
  const auto backup = deal.next(1);
  REQUIRE((first && second && backup));
  CHECK(backup->portion == first->portion);
  CHECK(deal.finish(0, *first));
  CHECK_FALSE(deal.finish(1, *backup));
  CHECK(deal.won() == 0);
  const auto again = deal.next(1);
  REQUIRE(again);
  CHECK(again->portion == second->portion);
  CHECK(again->slab == backup->slab);
  deal.drop(1, *again);
  CHECK(deal.finish(0, *second));
  CHECK(deal.complete());
  CHECK(deal.slabs() == std::vector<std::int32_t>{0, 1});
}
