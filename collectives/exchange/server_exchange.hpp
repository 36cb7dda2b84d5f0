#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "collectives/state/held_objects.hpp"
#include "collectives/state/served_state.hpp"
#include "runtime/clock.hpp"
#include "runtime/transport.hpp"

namespace troupe {

/// Gradients that a worker has pushed, starting at the float `begin`.
struct PushedSlice {
  Gradients gradients;  ///< to add in the fixed tree
  std::size_t begin = 0;
  std::int64_t bytes = 0;  ///< number of pushed bytes
};

/// Moves pushed gradients from workers to parameter servers, and served weights from servers to workers, on one node.
/// Within a node both sides read and write the data in place. Between nodes, with one server per node, a worker sends
/// the sum over its shards, in blocks of 64 KiB; blocks of zeros are not sent.
///
/// Thread-safe, except that the calls for one rank must not be concurrent. Tickets must increase from one push of a
/// rank, or from one `share`, to the next. All functions that wait or send throw Error timeout or worker_lost from the
/// transport; the membership must end then.
class ServerExchange {
 public:
  /// The nodes, from the point of view of the node `self`.
  struct Nodes {
    int self = 0;
    std::vector<Range> slices;  ///< by node: the slice that its server owns
    Transport& transport;
    StoreClient& store;
  };

  /// Creates an exchange within one node.
  /// @param devices number of lanes per worker
  ServerExchange(std::shared_ptr<const ServedState> state, Topology topology, int devices);
  /// Creates an exchange between nodes. Allocates memory for the pushes of other nodes to this node's server, and
  /// announces the windows that other nodes may write.
  ServerExchange(std::shared_ptr<const ServedState> state, Topology topology, int devices, Nodes nodes);

  int num_ranks() const { return topology_.num_lanes() / devices_; }

  // Calls of a server:
  /// Returns the most recent push of the worker with this rank, for one slice.
  PushedSlice pushed(int rank, const Range& slice, std::uint64_t ticket, const Deadline& deadline);
  /// Sends the slice of `weights` to a worker.
  /// @param weights a whole flat vector
  void serve(int rank, const Range& slice, std::span<const float> weights, std::uint64_t ticket,
             const Deadline& deadline) const;

  // Calls of a worker on this node:
  /// Sends the sum of the worker's gradients to the servers of other nodes. Returns the number of bytes sent.
  std::int64_t push(int rank, std::uint64_t ticket, const Deadline& deadline) const;
  /// Waits for the weights that these servers send. Returns the number of bytes.
  std::int64_t await_served(int rank, std::uint64_t ticket, const Deadline& deadline) const;

  /// Sends this node's slice of the weights to all other nodes and waits for their slices. Afterwards the weights are
  /// complete on every node.
  void share(int buffer, std::uint64_t ticket, const Deadline& deadline) const;

 private:
  /// Data received from a worker of another node.
  struct Incoming {
    std::span<float> floats;          ///< for this node's slice
    std::vector<std::uint8_t> marks;  ///< by block: 1 if it was sent
    std::vector<bool> zero;           ///< by block: true if its floats are zero because it was not sent
  };

  void announce();
  int node_of(int rank) const { return topology_.node_of(rank * devices_); }
  bool across() const { return nodes_ != nullptr; }
  Gradients gradients_of(int rank) const;
  std::int64_t push_to(int node, const Gradients& gradients, int rank, std::uint64_t ticket,
                       const Deadline& deadline) const;
  void send(int node, WindowId window, std::span<const float> floats, std::uint64_t ticket,
            const Deadline& deadline) const;
  /// Waits for a slice of weights from a node.
  /// @throws Error protocol if the weights are not finite; the error names the node
  void wait(int node, WindowId window, std::span<const float> floats, std::uint64_t ticket,
            const Deadline& deadline) const;
  // Window numbers of a receiver:
  WindowId window_pushed(int rank) const;
  WindowId window_marks(int rank) const;
  WindowId window_served(int rank, int server) const;
  WindowId window_shared(int server, int buffer) const;

  std::shared_ptr<const ServedState> state_;
  Topology topology_;
  int devices_;
  std::unique_ptr<Nodes> nodes_;  ///< null within one node
  std::unique_ptr<HeldObjects> held_;
  std::vector<std::shared_ptr<Mapping>> mappings_;
  std::vector<Incoming> incoming_;  ///< by rank; empty for ranks of this node
};

}  // namespace troupe
