#include "actors/algorithms/lbfgs/portion_deal.hpp"

#include <algorithm>

namespace troupe {

PortionDeal::PortionDeal(const std::vector<Owner>& owners, int spares) {
  for (const Owner& owner : owners) {
    owners_[owner.worker] = owner;
    undealt_[owner.worker] = {owner.portions.begin(), owner.portions.end()};
    const auto [store, is_new] = stores_.try_emplace(owner.store);
    if (is_new) store->second.first_portion = left_;
    store->second.num_portions += static_cast<int>(owner.portions.size());
    left_ += static_cast<int>(owner.portions.size());
  }
  for (auto& [number, store] : stores_)
    for (int spare = spares - 1; spare >= 0; --spare) store.spares.push_back(store.num_portions + spare);
  slabs_.assign(static_cast<std::size_t>(left_), -1);
}

std::optional<PortionDeal::Task> PortionDeal::next(int worker) {
  if (auto task = own_or_others(worker)) return task;
  return backup_of_others(worker);
}

std::optional<PortionDeal::Task> PortionDeal::own_or_others(int worker) {
  const int store = owners_.at(worker).store;
  std::deque<int>* from = &undealt_.at(worker);
  if (from->empty())
    for (auto& [other, portions] : undealt_)
      if (owners_.at(other).store == store && portions.size() > from->size()) from = &portions;
  if (from->empty()) return std::nullopt;
  // If the portion is another worker's, take that worker's last portion, because that worker itself continues with its
  // first one.
  const int portion = from == &undealt_.at(worker) ? from->front() : from->back();
  from == &undealt_.at(worker) ? from->pop_front() : from->pop_back();
  outstanding_.push_back({portion, worker});
  return Task{portion, portion - stores_.at(store).first_portion, false};
}

std::optional<PortionDeal::Task> PortionDeal::backup_of_others(int worker) {
  const int number = owners_.at(worker).store;
  Store& store = stores_.at(number);
  if (store.spares.empty()) return std::nullopt;
  const auto late = std::ranges::find_if(outstanding_, [&](const Outstanding& each) {
    return !each.backed_up && each.worker != worker && owners_.at(each.worker).store == number &&
           slabs_[static_cast<std::size_t>(each.portion)] < 0;
  });
  if (late == outstanding_.end()) return std::nullopt;
  late->backed_up = true;
  ++backups_;
  const Task task{late->portion, store.spares.back(), true};
  store.spares.pop_back();
  return task;
}

bool PortionDeal::finish(int worker, const Task& task) {
  std::int32_t& slab = slabs_.at(static_cast<std::size_t>(task.portion));
  if (slab >= 0) {
    drop(worker, task);
    return false;
  }
  slab = task.slab;
  --left_;
  won_ += task.backup ? 1 : 0;
  if (!task.backup) std::erase_if(outstanding_, [&](const Outstanding& each) { return each.portion == task.portion; });
  return true;
}

void PortionDeal::drop(int worker, const Task& task) {
  if (task.backup)
    stores_.at(owners_.at(worker).store).spares.push_back(task.slab);
  else
    std::erase_if(outstanding_, [&](const Outstanding& each) { return each.portion == task.portion; });
}

}  // namespace troupe
