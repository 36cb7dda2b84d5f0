#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "actors/rounds/phase.hpp"
#include "collectives/plan/plan.hpp"
#include "collectives/state/driver_gradients.hpp"
#include "collectives/state/served_state.hpp"
#include "collectives/state/versioned_state.hpp"

namespace troupe {

class Members;
class Memberships;
class Rounds;

/// Is shown floats where they lie, until it returns.
using ReadFloats = std::function<void(std::span<const float>)>;
/// Is to fill floats where they lie.
using FillFloats = std::function<void(std::span<float>)>;

/// Floats where they lie, which stay there until the holder goes; that may be in another thread, but not after the
/// store's client has gone.
struct HeldFloats {
  std::span<const float> floats;
  std::shared_ptr<const void> holder;
};

/// Where the state's vectors lie: in this machine's store, or in the store of each node. Transfer objects are how they,
/// and what users' functions return, come and go: a worker fills one or reads one. They are numbered; what is fetched
/// goes
/// with that, the others with `forget_transfers`.
///
/// All may throw what rounds throw.
class StateHome {
 public:
  StateHome() = default;
  StateHome(const StateHome&) = delete;
  StateHome& operator=(const StateHome&) = delete;
  virtual ~StateHome() = default;

  /// Makes the buffers of a generation anew; buffer i holds what buffer `carried[i]` held. When it throws, what was
  /// there is as it was, but that nodes are unsettled.
  virtual void begin(const SlabLayout& layout, const PlanRequest& plan, const std::vector<int>& carried,
                     const Phase& phase) = 0;
  /// Lets workers map them; all gradients are there by now.
  /// @param gradients as WorkerSlabs::map_others
  virtual void publish(const std::vector<std::vector<std::uint64_t>>& gradients, const Phase& phase) = 0;

  /// Where there are several stores: begins and publishes a generation in that of one worker alone, whose node is from
  /// then on cut off from all but the driver, so that it waits for nobody. For reading: nobody else knows of it, and
  /// what counts stays where it lay everywhere. `attach` has the worker make its slabs.
  virtual void begin_alone(int worker, const SlabLayout& layout, const PlanRequest& plan,
                           const std::vector<int>& carried, const std::function<void()>& attach, const Phase& phase);

  /// Makes a transfer object for `worker` to write; one of this number that was placed may serve again.
  virtual void create(std::uint64_t transfer, int worker, std::size_t floats, const Phase& phase) = 0;
  /// As `create`, where there is none that was lent before, was fetched, is held no more and is large enough: memory
  /// that was written before need not be made anew. Returns the number of either.
  virtual std::uint64_t lend(std::uint64_t transfer, int worker, std::size_t floats, const Phase& phase) {
    create(transfer, worker, floats, phase);
    return transfer;
  }
  /// Makes one for these workers to read; one of this number may be filled again when all before was placed.
  virtual void put(std::uint64_t transfer, const std::vector<int>& readers, std::size_t floats, const FillFloats& fill,
                   const Phase& phase) = 0;
  /// They have read it, which is its last use.
  virtual void withdraw(const std::vector<int>& readers, const Phase& phase) = 0;
  /// What `worker` wrote, which is its last use.
  virtual HeldFloats fetch(std::uint64_t transfer, int worker, std::size_t floats, const Phase& phase) = 0;
  /// Makes what the first worker wrote the content of a vector, everywhere.
  virtual void place(std::uint64_t transfer, int vector, int buffer, const Phase& phase) = 0;
  /// Makes the optimizer's vectors zero, everywhere.
  virtual void clear(int buffer, const Phase& phase) = 0;
  /// Makes a vector whole where the first worker is.
  virtual void gather(int vector, int buffer, const Phase& phase) = 0;
  /// Drops what is left; nodes are not waited for: what an error left there, their next generation drops.
  virtual void forget_transfers() noexcept = 0;

  /// Whether each node's store holds its slices alone of what is not the weights.
  virtual bool in_parts() const { return false; }
  /// What the driver holds to add the gradients itself; null where it does not.
  virtual const DriverGradients* gradients() const { return nullptr; }
  /// What parameter servers work on; null where the generation has none.
  virtual std::shared_ptr<const ServedState> served() const { return nullptr; }
};

std::unique_ptr<StateHome> keep_state_here(StoreClient& store);
/// @param store of the driver, for what it fetches. @param optimizer as JSON, for parameter servers of nodes
std::unique_ptr<StateHome> keep_state_in_nodes(Memberships& nodes, const Members& members, Rounds& rounds,
                                               StoreClient& store, std::string optimizer);

}  // namespace troupe
