#include "actors/schedules/memory.hpp"

#include <algorithm>

#include "troupe/error.hpp"

namespace troupe_test {

using troupe::Phase;

void MemoryHome::begin(const troupe::SlabLayout& layout, const troupe::PlanRequest& plan,
                       const std::vector<int>& carried, const Phase& /*phase*/) {
  if (memory_.all_nodes) memory_.slabs = std::move(memory_.all_nodes);
  if (chance_.per_mille(memory_.full_per_mille))
    throw troupe::Error(troupe::ErrorCode::store_full, "there is no room for a generation");
  // A run starts with zeros. Its first version counts from there.
  const float fresh = carried.empty() ? 0 : Memory::kUnwritten;
  auto next = std::make_shared<Slabs>();
  next->layout = layout;
  next->plan = plan;
  next->vectors.resize(static_cast<std::size_t>(layout.vectors));
  for (std::size_t vector = 0; vector < next->vectors.size(); ++vector)
    for (std::size_t buffer = 0; buffer < static_cast<std::size_t>(layout.buffers); ++buffer)
      next->vectors[vector].push_back(buffer < carried.size()
                                          ? memory_.slabs->vectors[vector].at(static_cast<std::size_t>(carried[buffer]))
                                          : Floats(layout.size, fresh));
  next->served.resize(layout.served.size(), Floats(layout.size, 0));
  next->computed.resize(layout.served.size());
  memory_.slabs = std::move(next);
}

void MemoryHome::begin_alone(int /*worker*/, const troupe::SlabLayout& layout, const troupe::PlanRequest& plan,
                             const std::vector<int>& carried, const std::function<void()>& attach, const Phase& phase) {
  std::shared_ptr<Slabs> all = memory_.all_nodes ? memory_.all_nodes : memory_.slabs;
  begin(layout, plan, carried, phase);
  memory_.all_nodes = std::move(all);
  attach();
  memory_.slabs->published = true;
}

void MemoryHome::publish(const std::vector<std::vector<std::uint64_t>>& /*gradients*/, const Phase& /*phase*/) {
  memory_.slabs->published = true;
}

void MemoryHome::create(std::uint64_t transfer, int /*worker*/, std::size_t floats, const Phase& /*phase*/) {
  if (!memory_.transfers.contains(transfer)) memory_.transfers[transfer].assign(floats, Memory::kUnwritten);
}

void MemoryHome::put(std::uint64_t transfer, const std::vector<int>& /*readers*/, std::size_t floats,
                     const troupe::FillFloats& fill, const Phase& /*phase*/) {
  Floats& values = memory_.transfers[transfer];
  values.resize(floats);
  fill(values);
}

troupe::HeldFloats MemoryHome::fetch(std::uint64_t transfer, int /*worker*/, std::size_t floats,
                                     const Phase& /*phase*/) {
  const auto node = memory_.transfers.extract(transfer);
  const auto fetched = std::make_shared<const Floats>(node.mapped());
  return {std::span(*fetched).first(floats), fetched};
}

void MemoryHome::place(std::uint64_t transfer, int vector, int buffer, const Phase& /*phase*/) {
  memory_.slabs->vectors.at(static_cast<std::size_t>(vector)).at(static_cast<std::size_t>(buffer)) =
      memory_.transfers.at(transfer);
  if (vector == troupe::kWeightsVector) memory_.without_weights.clear();
  memory_.placed = buffer;
}

void MemoryHome::clear(int buffer, const Phase& /*phase*/) {
  for (std::size_t vector = 1; vector < memory_.slabs->vectors.size(); ++vector)
    std::ranges::fill(memory_.slabs->vectors[vector].at(static_cast<std::size_t>(buffer)), 0.0F);
}

/// Every vector is always complete.
void MemoryHome::gather(int /*vector*/, int /*buffer*/, const Phase& /*phase*/) {}

void MemoryHome::forget_transfers() noexcept { memory_.transfers.clear(); }

}  // namespace troupe_test
