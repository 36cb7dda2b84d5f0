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

/// Receives floats in place. The memory is valid until the function returns.
using ReadFloats = std::function<void(std::span<const float>)>;
/// Writes floats in place.
using FillFloats = std::function<void(std::span<float>)>;

/// Floats in place. They stay valid until `holder` is destroyed. That may happen in another thread, but must happen
/// before the store's client is destroyed.
struct HeldFloats {
  std::span<const float> floats;
  std::shared_ptr<const void> holder;
};

/// The place of the state's vectors: this machine's store, or the store of each node. Vectors, and the results of
/// users' functions, are moved through numbered transfer objects: a worker writes one or reads one. `fetch` removes an
/// object; `forget_transfers` removes the others.
///
/// All functions may throw the errors of rounds.
class StateHome {
 public:
  StateHome() = default;
  StateHome(const StateHome&) = delete;
  StateHome& operator=(const StateHome&) = delete;
  virtual ~StateHome() = default;

  /// Creates the buffers of a new generation; buffer i gets the contents of buffer `carried[i]`. If this throws, the
  /// previous state is unchanged, except that nodes are unsettled.
  virtual void begin(const SlabLayout& layout, const PlanRequest& plan, const std::vector<int>& carried,
                     const Phase& phase) = 0;
  /// Lets workers map the buffers. All gradients must exist.
  /// @param gradients as WorkerSlabs::map_others
  virtual void publish(const std::vector<std::vector<std::uint64_t>>& gradients, const Phase& phase) = 0;

  /// With several stores: begins and publishes a generation on the node of one worker only. From then on this node is
  /// connected only to the driver, so it waits for no other node. The generation is for reading: no other node knows
  /// it, and the committed state stays in place on all nodes. `attach` makes the worker create its slabs.
  virtual void begin_alone(int worker, const SlabLayout& layout, const PlanRequest& plan,
                           const std::vector<int>& carried, const std::function<void()>& attach, const Phase& phase);

  /// Creates a transfer object for `worker` to write. The object with this number may be reused after `place`.
  virtual void create(std::uint64_t transfer, int worker, std::size_t floats, const Phase& phase) = 0;
  /// Like `create`, but reuses an object that was lent and fetched before, if it is no longer held and large enough.
  /// Memory that was written before is cheaper than new memory. Returns the number of the object.
  virtual std::uint64_t lend(std::uint64_t transfer, int worker, std::size_t floats, const Phase& phase) {
    create(transfer, worker, floats, phase);
    return transfer;
  }
  /// Creates a transfer object for these workers to read. The object with this number may be filled again after
  /// `place`.
  virtual void put(std::uint64_t transfer, const std::vector<int>& readers, std::size_t floats, const FillFloats& fill,
                   const Phase& phase) = 0;
  /// Ends the use of the object after these workers have read it.
  virtual void withdraw(const std::vector<int>& readers, const Phase& phase) = 0;
  /// Returns the floats that `worker` wrote, and ends the use of the object.
  virtual HeldFloats fetch(std::uint64_t transfer, int worker, std::size_t floats, const Phase& phase) = 0;
  /// Copies the floats that the first worker wrote into a vector, on all nodes.
  virtual void place(std::uint64_t transfer, int vector, int buffer, const Phase& phase) = 0;
  /// Sets the optimizer's vectors to zero, on all nodes.
  virtual void clear(int buffer, const Phase& phase) = 0;
  /// Makes a vector complete in the first worker's store.
  virtual void gather(int vector, int buffer, const Phase& phase) = 0;
  /// Drops all remaining objects. Does not wait for nodes; their next generation drops objects that remain after an
  /// error.
  virtual void forget_transfers() noexcept = 0;

  /// Returns true if each node's store holds only its own slices of vectors other than the weights.
  virtual bool in_parts() const { return false; }
  /// Returns the objects of a driver that adds the gradients itself; null if it does not.
  virtual const DriverGradients* gradients() const { return nullptr; }
  /// Returns the data of parameter servers; null if the generation has none.
  virtual std::shared_ptr<const ServedState> served() const { return nullptr; }
};

std::unique_ptr<StateHome> keep_state_here(StoreClient& store);
/// @param store of the driver, for fetched floats
/// @param optimizer as JSON, for parameter servers on nodes
std::unique_ptr<StateHome> keep_state_in_nodes(Memberships& nodes, const Members& members, Rounds& rounds,
                                               StoreClient& store, std::string optimizer);

}  // namespace troupe
