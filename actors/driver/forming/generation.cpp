#include "actors/driver/forming/generation.hpp"

#include "actors/messages/slabs.hpp"

namespace troupe {

Generation::Generation(std::uint64_t run, std::string optimizer, int state_vectors, bool backs_up)
    : optimizer_(std::move(optimizer)), backs_up_(backs_up) {
  layout_.run = run;
  shape_.vectors = 1 + state_vectors;
}

bool Generation::reshape(const StateShape& shape, std::string outer) {
  if (shape_ == shape && outer_ == outer) return false;
  shape_ = shape;
  outer_ = std::move(outer);
  gradients_.clear();  // the number of gradient slabs may change
  fall();
  return true;
}

void Generation::begin(const PlanRequest& request, const FlatSize& size, const Members& members, Rounds& rounds,
                       StateHome& home, Versions& versions, const Phase& phase, bool has_servers) {
  const PlanRequest plan = plan_for(request, shape_);
  plan_ = make_plan(plan, size.all);
  appliers_.clear();
  for (const int worker : members.workers())
    if (!plan_.idle(members.lanes_of(worker))) appliers_.push_back(worker);
  SlabLayout next = layout_;
  static_cast<StateShape&>(next) = shape_;
  next.generation = ++last_;
  next.size = size.all;
  next.learned_size = size.learned;
  next.num_shards = plan_.topology.num_shards;
  next.shards = {0, static_cast<std::size_t>(plan_.topology.num_shards)};
  next.mean_gradient = plan_.driver_reduces;
  next.backups = backs_up_ && members.num_workers() > 1;
  next.buffers = versions.buffers_needed();
  next.served = {0, has_servers ? static_cast<std::size_t>(members.num_workers()) : 0};
  home.begin(next, plan, versions.live(), phase);
  layout_ = next;
  versions.begin(layout_.buffers);
  const auto gradients = make_slabs(members, rounds, phase);
  home.publish(gradients_made_for(plan_.topology, gradients, static_cast<std::size_t>(members.devices())), phase);
  rounds.ask(MapSlabs{0, gradients, has_servers}, members.workers(), phase);
  attached_ = layout_.generation;
}

SlabLayout Generation::largest_store(bool in_parts) const {
  SlabLayout largest = layout_;
  largest.in_part = in_parts;
  const Topology& topology = plan_.topology;
  Range most;
  for (int node = 0; node < topology.num_nodes(); ++node)
    if (const Range shards = topology.shards_of_node(node); shards.size() > most.size()) {
      most = shards;
      largest.own = plan_.slice_of_node(node);
    }
  largest.shards = most;
  return largest;
}

std::vector<std::uint64_t> Generation::make_slabs(const Members& members, Rounds& rounds, const Phase& phase) {
  std::vector<std::pair<int, MakeSlabs>> requests;
  std::vector<std::uint64_t> by_lane;
  for (const int worker : members.workers()) {
    const std::uint64_t made_for = gradients_.try_emplace(worker, layout_.generation).first->second;
    by_lane.insert(by_lane.end(), static_cast<std::size_t>(members.devices()), made_for);
    requests.emplace_back(
        worker, MakeSlabs{0, layout_.run, layout_.generation, layout_.buffers, made_for, optimizer_, layout_, outer_});
  }
  rounds.ask_each(requests, phase);
  return by_lane;
}

void Generation::renew_gradients(const std::vector<int>& workers) {
  for (const int worker : workers) gradients_.erase(worker);
}

void Generation::begin_alone(int worker, const PlanRequest& request, Rounds& rounds, StateHome& home,
                             const Versions& versions, const Phase& phase) {
  attached_ = 0;
  SlabLayout next = layout_;
  next.generation = ++last_;
  next.buffers = static_cast<int>(versions.live().size());
  next.served = {};
  gradients_.clear();
  const PlanRequest plan = plan_for(request, next);
  const MakeSlabs make{0, next.run, next.generation, next.buffers, next.generation, optimizer_, next, outer_};
  home.begin_alone(
      worker, next, plan, versions.live(), [&] { rounds.ask(make, {worker}, phase); }, phase);
}

}  // namespace troupe
