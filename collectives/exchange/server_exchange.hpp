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

/// The gradients that a worker has pushed to a parameter server for the server's slice.
struct PushedSlice {
  Gradients gradients;  ///< the pushed gradient is the sum of these gradients, added in the fixed tree
  std::size_t begin = 0;
  std::int64_t bytes = 0;  ///< number of bytes that the worker has pushed
};

/// One node's part in the exchange between workers and parameter servers: workers push gradients to servers, and
/// servers send weights to workers. Within a node, both sides read and write shared memory without copying through a
/// network. Between nodes, with one server per node, a worker sends the sum of its shards' gradients in blocks of 64
/// KiB. A block that contains only zeros is not sent.
///
/// Thread-safe, except that calls for the same rank must not be concurrent. Tickets must increase from one push of a
/// rank to its next push, and from one call of `share` to the next. If the transport fails, all functions that wait or
/// send throw Error timeout or worker_lost; after such an error, the generation must end.
class ServerExchange {
 public:
  /// Describes the nodes of the run.
  struct Nodes {
    int self = 0;
    std::vector<Range> slices;  ///< by node: the slice of the parameter server on that node; empty if the node has no
                                ///< server
    Transport& transport;
    StoreClient& store;
  };

  /// Creates an exchange for a run within one node.
  /// @param devices number of lanes per worker
  ServerExchange(std::shared_ptr<const ServedState> state, Topology topology, int devices);
  /// Creates one node's part of an exchange between nodes. Allocates memory for the gradients that workers of other
  /// nodes push to this node's server, and announces the windows that other nodes may write.
  ServerExchange(std::shared_ptr<const ServedState> state, Topology topology, int devices, Nodes nodes);

  /// Returns the number of workers in the run.
  int num_ranks() const { return topology_.num_lanes() / devices_; }

  // Functions that a parameter server calls:
  /// Returns the gradients that the worker with the rank `rank` has pushed for `slice`, the slice of the calling
  /// server. If the worker is on another node, first blocks until the push with the ticket `ticket` has arrived.
  PushedSlice pushed(int rank, const Range& slice, std::uint64_t ticket, const Deadline& deadline);
  /// Sends the floats `slice` of `weights` to the worker with the rank `rank`. If the worker is on this node, copies
  /// the floats into the worker's served weights instead.
  /// @param weights a whole flat vector of weights
  void serve(int rank, const Range& slice, std::span<const float> weights, std::uint64_t ticket,
             const Deadline& deadline) const;

  // Functions that a worker on this node calls:
  /// Sends the sum of the gradients of worker `rank` to the servers of other nodes: to each server the floats of its
  /// slice. Returns the number of bytes sent.
  std::int64_t push(int rank, std::uint64_t ticket, const Deadline& deadline) const;
  /// Blocks until the servers of all other nodes have sent their weights to worker `rank`. Returns the number of bytes
  /// received.
  std::int64_t await_served(int rank, std::uint64_t ticket, const Deadline& deadline) const;

  /// Sends this node's slice of the weights to all other nodes, and blocks until the slices of all other nodes have
  /// arrived. When `share` has returned on all nodes, the buffer `buffer` of the weights is complete on every node.
  void share(int buffer, std::uint64_t ticket, const Deadline& deadline) const;

 private:
  /// The memory that receives the pushes of one worker of another node.
  struct Incoming {
    std::span<float> floats;          ///< the pushed gradient for this node's slice
    std::vector<std::uint8_t> marks;  ///< one bit for each block: 1 if the worker sent the block
    std::vector<bool> zero;           ///< by block: true if the block in `floats` contains zeros, because the worker
                                      ///< did not send the block
  };

  void announce();
  int node_of(int rank) const { return topology_.node_of(rank * devices_); }
  bool across() const { return nodes_ != nullptr; }
  Gradients gradients_of(int rank) const;
  std::int64_t push_to(int node, const Gradients& gradients, int rank, std::uint64_t ticket,
                       const Deadline& deadline) const;
  void send(int node, WindowId window, std::span<const float> floats, std::uint64_t ticket,
            const Deadline& deadline) const;
  /// Blocks until a slice of weights from node `node` has arrived.
  /// @param floats the memory in which the weights arrive
  /// @throws Error protocol that names the node, if the weights are not finite
  void wait(int node, WindowId window, std::span<const float> floats, std::uint64_t ticket,
            const Deadline& deadline) const;
  // The next four functions return the number of a window on the receiving node. The windows are for the blocks of a
  // push, for the marks of a push, for served weights, and for weights that `share` sends.
  WindowId window_pushed(int rank) const;
  WindowId window_marks(int rank) const;
  WindowId window_served(int rank, int server) const;
  WindowId window_shared(int server, int buffer) const;

  std::shared_ptr<const ServedState> state_;
  Topology topology_;
  int devices_;
  std::unique_ptr<Nodes> nodes_;  ///< null for a run within one node
  std::unique_ptr<HeldObjects> held_;
  std::vector<std::shared_ptr<Mapping>> mappings_;
  std::vector<Incoming> incoming_;  ///< by the worker's rank; the elements of workers on this node are empty
};

}  // namespace troupe
