#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "actors/placements/state_home.hpp"
#include "actors/schedules/chance.hpp"
#include "actors/schedules/toy.hpp"

namespace troupe_test {

/// A gradient of one shard: which process computed it, and at which step of its clock.
struct Gradient {
  int process = 0;
  int shard = 0;
  std::int64_t step = 0;

  auto operator<=>(const Gradient&) const = default;
};

/// The slabs of one generation, which its workers share.
struct Slabs {
  troupe::SlabLayout layout;
  troupe::PlanRequest plan;
  std::vector<std::vector<Floats>> vectors;  ///< by vector and buffer
  bool published = false;

  // Used by algorithms with parameter servers, by the rank of a worker.
  std::vector<Floats> served;
  std::vector<std::vector<Gradient>> computed;  ///< gradients that the worker has to push
};

/// The memory of a simulated machine. Unwritten floats are NaN.
struct Memory {
  static constexpr float kUnwritten = __builtin_nanf("");

  std::shared_ptr<Slabs> slabs;  ///< slabs of the newest generation; processes with older slabs may still write to
                                 ///< those
  std::map<troupe::ObjectId, std::weak_ptr<Floats>> gradients;  ///< gradients of workers
  std::map<std::uint64_t, Floats> transfers;
  int placed = -1;         ///< the buffer of the last place() call
  int full_per_mille = 0;  ///< how often there is no room for a generation
  bool counts = false;     ///< weights start with zero, and parameter servers count gradients in them
  std::map<std::size_t, std::set<Gradient>> applied = {};  ///< by the first float of a slice
  int processes = 0;                                       ///< number of all processes so far
  std::set<int> without_weights = {};                      ///< nodes that have not received the weights yet
  std::shared_ptr<Slabs> all_nodes = {};  ///< the slabs of all nodes, while `slabs` are those of one node alone
};

/// A home of the state in this memory.
class MemoryHome : public troupe::StateHome {
 public:
  MemoryHome(Memory& memory, Chance& chance) : memory_(memory), chance_(chance) {}

  void begin(const troupe::SlabLayout& layout, const troupe::PlanRequest& plan, const std::vector<int>& carried,
             const troupe::Phase& phase) override;
  void begin_alone(int worker, const troupe::SlabLayout& layout, const troupe::PlanRequest& plan,
                   const std::vector<int>& carried, const std::function<void()>& attach,
                   const troupe::Phase& phase) override;
  void publish(const std::vector<std::vector<std::uint64_t>>& gradients, const troupe::Phase& phase) override;
  void create(std::uint64_t transfer, int worker, std::size_t floats, const troupe::Phase& phase) override;
  void put(std::uint64_t transfer, const std::vector<int>& readers, std::size_t floats, const troupe::FillFloats& fill,
           const troupe::Phase& phase) override;
  void withdraw(const std::vector<int>& /*readers*/, const troupe::Phase& /*phase*/) override { forget_transfers(); }
  troupe::HeldFloats fetch(std::uint64_t transfer, int worker, std::size_t floats, const troupe::Phase& phase) override;
  void place(std::uint64_t transfer, int vector, int buffer, const troupe::Phase& phase) override;
  void clear(int buffer, const troupe::Phase& phase) override;
  void gather(int vector, int buffer, const troupe::Phase& phase) override;
  void forget_transfers() noexcept override;

 private:
  Memory& memory_;
  Chance& chance_;
};

}  // namespace troupe_test
