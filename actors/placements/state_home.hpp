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

/// A function that reads floats in place, without copying. The memory is valid only until the function returns.
using ReadFloats = std::function<void(std::span<const float>)>;
/// A function that fills the given memory with floats.
using FillFloats = std::function<void(std::span<float>)>;

/// Floats in the memory of an object store. The floats stay valid until `holder` is destroyed. Any thread may destroy
/// `holder`, but it must be destroyed before the store's client.
struct HeldFloats {
  std::span<const float> floats;
  std::shared_ptr<const void> holder;
};

/// The interface through which the driver accesses the vectors of the state. The vectors are in the object store of
/// this machine, or in the stores of all nodes.
///
/// Vectors, and arguments and results of users' functions, move between the driver and workers through transfer
/// objects, which have numbers. A worker writes or reads a transfer object. `fetch` removes one transfer object, and
/// `forget_transfers` removes all remaining ones.
///
/// All functions may throw the errors that `Rounds::ask` throws.
class StateHome {
 public:
  StateHome() = default;
  StateHome(const StateHome&) = delete;
  StateHome& operator=(const StateHome&) = delete;
  virtual ~StateHome() = default;

  /// Creates the buffers of a new generation. The new buffer i becomes a copy of the previous generation's buffer
  /// `carried[i]`. If this function throws, the previous state is unchanged; if the run has nodes, the members must
  /// then be settled again.
  virtual void begin(const SlabLayout& layout, const PlanRequest& plan, const std::vector<int>& carried,
                     const Phase& phase) = 0;
  /// Publishes the buffers of the new generation, so that workers can map these buffers. Before this call, all workers
  /// must have created the slabs for their gradients.
  /// @param gradients for which generations the slabs of gradients were created; see the parameter `made_for` of
  /// WorkerSlabs::map_others
  virtual void publish(const std::vector<std::vector<std::uint64_t>>& gradients, const Phase& phase) = 0;

  /// Begins and publishes a generation only on the node that hosts `worker`, so that the state on this node can be read
  /// although other nodes are lost. Afterwards this node is connected only to the driver. The committed state does not
  /// change on any node. Supported only if the run has nodes.
  /// @param attach a function that makes the worker create its slabs; it is called before the generation is published
  virtual void begin_alone(int worker, const SlabLayout& layout, const PlanRequest& plan,
                           const std::vector<int>& carried, const std::function<void()>& attach, const Phase& phase);

  /// Creates the transfer object with the number `transfer`, which `worker` will write. If a transfer object with this
  /// number still exists, because `place` has used it, the object may be reused.
  virtual void create(std::uint64_t transfer, int worker, std::size_t floats, const Phase& phase) = 0;
  /// Creates a transfer object like `create`, or reuses an object of an earlier call of `lend` that is large enough and
  /// whose floats are no longer held. Reuse is faster, because the first writes to new memory are slow. Returns the
  /// number of the transfer object, which is not `transfer` if an object is reused.
  virtual std::uint64_t lend(std::uint64_t transfer, int worker, std::size_t floats, const Phase& phase) {
    create(transfer, worker, floats, phase);
    return transfer;
  }
  /// Creates the transfer object with the number `transfer`, which the workers in `readers` will read, and calls `fill`
  /// to write its floats. If a transfer object with this number still exists, because `place` has used it, the object
  /// may be filled again.
  virtual void put(std::uint64_t transfer, const std::vector<int>& readers, std::size_t floats, const FillFloats& fill,
                   const Phase& phase) = 0;
  /// Ends the use of the transfer objects that `put` has created, after the workers in `readers` have read them.
  virtual void withdraw(const std::vector<int>& readers, const Phase& phase) = 0;
  /// Returns the first `floats` floats that `worker` has written into the transfer object, and ends the use of this
  /// object.
  virtual HeldFloats fetch(std::uint64_t transfer, int worker, std::size_t floats, const Phase& phase) = 0;
  /// Copies a transfer object, which the first worker has written, into the vector `vector` of the state, in all
  /// stores.
  virtual void place(std::uint64_t transfer, int vector, int buffer, const Phase& phase) = 0;
  /// Sets the optimizer's vectors in `buffer` to zero, in all stores.
  virtual void clear(int buffer, const Phase& phase) = 0;
  /// Completes a vector of the state in the store of the first worker: copies the slices that are only in other stores
  /// into that store.
  virtual void gather(int vector, int buffer, const Phase& phase) = 0;
  /// Removes all remaining transfer objects in the driver's store. Sends no request to nodes: transfer objects that
  /// remain on a node after an error are removed when the next generation begins.
  virtual void forget_transfers() noexcept = 0;

  /// Returns true if each node's store contains valid values only for the node's own slices, in all vectors except the
  /// weights.
  virtual bool in_parts() const { return false; }
  /// Returns access to the gradients that the driver itself adds, and to their mean. Returns null if the driver adds no
  /// gradients.
  virtual const DriverGradients* gradients() const { return nullptr; }
  /// Returns the memory that the parameter servers in this process use; null if there are no such servers.
  virtual std::shared_ptr<const ServedState> served() const { return nullptr; }
};

/// Returns the implementation for a run on one machine, where the state is in the object store `store`.
std::unique_ptr<StateHome> keep_state_here(StoreClient& store);
/// Returns the implementation for a run with nodes, where the state is in the object stores of all nodes.
/// @param store the driver's object store, into which `fetch` copies floats
/// @param optimizer the OptimizerSettings as JSON, for parameter servers on nodes
std::unique_ptr<StateHome> keep_state_in_nodes(Memberships& nodes, const Members& members, Rounds& rounds,
                                               StoreClient& store, std::string optimizer);

}  // namespace troupe
