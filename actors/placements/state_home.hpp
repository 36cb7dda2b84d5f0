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

/// A function that receives floats in place, without copying. The memory is valid until the function returns.
using ReadFloats = std::function<void(std::span<const float>)>;
/// A function that writes floats into the given memory.
using FillFloats = std::function<void(std::span<float>)>;

/// Floats in the memory of a store. They stay valid until `holder` is destroyed. Any thread may destroy `holder`, but
/// this must happen before the store's client is destroyed.
struct HeldFloats {
  std::span<const float> floats;
  std::shared_ptr<const void> holder;
};

/// The driver's access to the vectors of the state, which are in this machine's store, or in the store of each node.
///
/// Vectors, and the arguments and results of users' functions, move between the driver and workers through numbered
/// transfer objects, which a worker writes or reads. `fetch` removes a transfer object, and `forget_transfers` removes
/// all that remain.
///
/// All functions may throw the errors of rounds.
class StateHome {
 public:
  StateHome() = default;
  StateHome(const StateHome&) = delete;
  StateHome& operator=(const StateHome&) = delete;
  virtual ~StateHome() = default;

  /// Creates the buffers of a new generation. Buffer i becomes a copy of buffer `carried[i]` of the previous
  /// generation. If this function throws, the previous state is unchanged. With nodes, the members must then be settled
  /// again.
  virtual void begin(const SlabLayout& layout, const PlanRequest& plan, const std::vector<int>& carried,
                     const Phase& phase) = 0;
  /// Publishes the buffers of the new generation, so that workers can map them. Workers must have created their
  /// gradients.
  /// @param gradients as `made_for` of WorkerSlabs::map_others
  virtual void publish(const std::vector<std::vector<std::uint64_t>>& gradients, const Phase& phase) = 0;

  /// Begins and publishes a generation on the node of one worker only. So the state on this node can still be read if
  /// other nodes are lost. Afterwards this node is connected to the driver only, and waits for no other node. The
  /// committed state does not change on any node. Only for several stores.
  /// @param attach called before the generation is published; must make the worker create its slabs
  virtual void begin_alone(int worker, const SlabLayout& layout, const PlanRequest& plan,
                           const std::vector<int>& carried, const std::function<void()>& attach, const Phase& phase);

  /// Creates a transfer object that `worker` will write. If an object with this number still exists after `place`, it
  /// may be reused.
  virtual void create(std::uint64_t transfer, int worker, std::size_t floats, const Phase& phase) = 0;
  /// Like `create`, but may reuse a larger object that an earlier call has lent and whose floats nobody holds any
  /// longer. This is faster, because memory that was written before is cheaper than new memory. Returns the number of
  /// the object.
  virtual std::uint64_t lend(std::uint64_t transfer, int worker, std::size_t floats, const Phase& phase) {
    create(transfer, worker, floats, phase);
    return transfer;
  }
  /// Creates a transfer object that the workers in `readers` will read, and fills it. If an object with this number
  /// still exists after `place`, it may be filled again.
  virtual void put(std::uint64_t transfer, const std::vector<int>& readers, std::size_t floats, const FillFloats& fill,
                   const Phase& phase) = 0;
  /// Ends the use of objects that were created by `put`, after the workers in `readers` have read them.
  virtual void withdraw(const std::vector<int>& readers, const Phase& phase) = 0;
  /// Returns the floats that `worker` has written into a transfer object, and ends the use of the object.
  virtual HeldFloats fetch(std::uint64_t transfer, int worker, std::size_t floats, const Phase& phase) = 0;
  /// Copies a transfer object that the first worker has written into a vector of the state, in all stores.
  virtual void place(std::uint64_t transfer, int vector, int buffer, const Phase& phase) = 0;
  /// Sets the optimizer's vectors in `buffer` to zero, in all stores.
  virtual void clear(int buffer, const Phase& phase) = 0;
  /// Makes a vector complete in the store of the first worker: copies the slices that are in other stores into it.
  virtual void gather(int vector, int buffer, const Phase& phase) = 0;
  /// Removes all remaining transfer objects. Sends nothing to nodes: objects that remain on nodes after an error are
  /// removed when their next generation begins.
  virtual void forget_transfers() noexcept = 0;

  /// Returns true if the store of a node is valid only in the node's own slices, for vectors other than the weights.
  virtual bool in_parts() const { return false; }
  /// Returns the gradients that the driver adds itself, and their mean; null if the driver adds no gradients.
  virtual const DriverGradients* gradients() const { return nullptr; }
  /// Returns the data of the parameter servers in this process; null if there are none.
  virtual std::shared_ptr<const ServedState> served() const { return nullptr; }
};

/// Returns a home of the state in the store of this machine.
std::unique_ptr<StateHome> keep_state_here(StoreClient& store);
/// Returns a home of the state in the stores of all nodes.
/// @param store the driver's store, into which floats are fetched
/// @param optimizer OptimizerSettings as JSON, for parameter servers on nodes
std::unique_ptr<StateHome> keep_state_in_nodes(Memberships& nodes, const Members& members, Rounds& rounds,
                                               StoreClient& store, std::string optimizer);

}  // namespace troupe
