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

/// Gradients that a worker has pushed, of the floats from `begin` on.
struct PushedSlice {
  Gradients gradients;  ///< to be added in the fixed tree
  std::size_t begin = 0;
  std::int64_t bytes = 0;  ///< that were pushed
};

/// How workers' pushes come to parameter servers, and weights that these serve to workers, on one node. Within it each
/// reads and writes them where they lie. Between nodes, where each has one server, the sum over a worker's shards
/// travels, and of that what is not zero: blocks of 64 KiB.
///
/// For use by several threads; what one rank pushes or is served by one at a time. Tickets grow from one push of a
/// rank, or from one `share`, to the next. All that waits or sends throws Error timeout or worker_lost from the
/// transport; then the membership must end.
class ServerExchange {
 public:
  /// The nodes, as seen by one of them.
  struct Nodes {
    int self = 0;
    std::vector<Range> slices;  ///< by node: what its server owns
    Transport& transport;
    StoreClient& store;
  };

  /// Within one node. @param devices lanes of a worker
  ServerExchange(std::shared_ptr<const ServedState> state, Topology topology, int devices);
  /// Makes room for what others push to this node's server, and announces what may be written by them.
  ServerExchange(std::shared_ptr<const ServedState> state, Topology topology, int devices, Nodes nodes);

  int num_ranks() const { return topology_.num_lanes() / devices_; }

  // Of a server.
  /// What the worker of this rank has pushed of a slice; the last that it has pushed.
  PushedSlice pushed(int rank, const Range& slice, std::uint64_t ticket, const Deadline& deadline);
  /// Hands the slice of `weights` to a worker. @param weights a whole flat vector
  void serve(int rank, const Range& slice, std::span<const float> weights, std::uint64_t ticket,
             const Deadline& deadline) const;

  // Of a worker of this node.
  /// Sends to the servers of other nodes what the worker's gradients add up to; returns how many bytes.
  std::int64_t push(int rank, std::uint64_t ticket, const Deadline& deadline) const;
  /// Waits for what these serve it; returns how many bytes.
  std::int64_t await_served(int rank, std::uint64_t ticket, const Deadline& deadline) const;

  /// Sends this node's slice of the weights to all others, and waits for theirs: then they are whole everywhere.
  void share(int buffer, std::uint64_t ticket, const Deadline& deadline) const;

 private:
  /// What comes of a worker of another node.
  struct Incoming {
    std::span<float> floats;          ///< of this node's slice
    std::vector<std::uint8_t> marks;  ///< by block: whether it was sent
    std::vector<bool> zero;           ///< by block: it is, since it was not
  };

  void announce();
  int node_of(int rank) const { return topology_.node_of(rank * devices_); }
  bool across() const { return nodes_ != nullptr; }
  Gradients gradients_of(int rank) const;
  std::int64_t push_to(int node, const Gradients& gradients, int rank, std::uint64_t ticket,
                       const Deadline& deadline) const;
  void send(int node, WindowId window, std::span<const float> floats, std::uint64_t ticket,
            const Deadline& deadline) const;
  /// Waits for what a node serves. @throws Error protocol, naming the node, where that is not finite
  void wait(int node, WindowId window, std::span<const float> floats, std::uint64_t ticket,
            const Deadline& deadline) const;
  // Windows of a receiver.
  WindowId window_pushed(int rank) const;
  WindowId window_marks(int rank) const;
  WindowId window_served(int rank, int server) const;
  WindowId window_shared(int server, int buffer) const;

  std::shared_ptr<const ServedState> state_;
  Topology topology_;
  int devices_;
  std::unique_ptr<Nodes> nodes_;  ///< none within one node
  std::unique_ptr<HeldObjects> held_;
  std::vector<std::shared_ptr<Mapping>> mappings_;
  std::vector<Incoming> incoming_;  ///< by rank; empty for those of this node
};

}  // namespace troupe
