#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "actors/messages/messages.hpp"
#include "collectives/exchange/exchange.hpp"
#include "collectives/state/slabs.hpp"
#include "runtime/net/data/data_plane.hpp"
#include "runtime/store/object_store.hpp"

namespace troupe {

/// Windows beyond those of the exchange.
inline constexpr WindowId kTransferWindow = 0xFFFF0000;  ///< weights between the driver and the first node
inline constexpr WindowId kPlaceWindow = 0xFFFF0001;  ///< weights from the first node into one of the others' buffers
inline constexpr std::size_t kTransferSegmentBytes = std::size_t{1} << 20;

/// The object of a transfer, as driver, nodes and workers name it.
ObjectId transfer_id(std::uint64_t run, std::uint64_t number);

/// The node's lanes lie side by side, and so do their shards. @throws Error protocol for a node without lanes
void set_local_shards(SlabLayout& layout, const Topology& topology, int node);

/// What a data plane is told of a generation. @throws Error protocol
Membership membership_of(const BeginGeneration& request);

/// Sends `floats`, or waits for them, segment by segment.
void send_floats(Transport& transport, int to, WindowId window, std::uint64_t ticket, std::span<const float> floats,
                 const Deadline& deadline);
void wait_for_floats(Transport& transport, WindowId window, std::uint64_t ticket, std::size_t floats,
                     const Deadline& deadline);

/// What the workers of a node share: its store, its connections to the other nodes, and in each generation the slabs of
/// weights and state and the exchange over them. The node's part of everything, without the actor around it.
class NodeService {
 public:
  /// @param driver where this node reaches the driver, which may not know by which address.
  NodeService(ObjectStore& store, std::shared_ptr<const Credentials> credentials, Address driver, int threads,
              std::shared_ptr<net::RefusalLog> log = std::make_shared<net::RefusalLog>());

  DataPlane& data_plane() { return data_plane_; }
  void begin(const BeginGeneration& request);
  void task(const NodeTask& request);
  /// This generation's; stays whole as long as somebody holds it.
  std::shared_ptr<NodeExchange> exchange() const;

 private:
  struct Generation {
    SlabLayout layout;
    std::uint64_t carried_generation = 0;  ///< whose content buffer 0 began with
    std::int32_t carry = -1;
    std::unique_ptr<SharedSlabs> slabs;
    std::shared_ptr<Transport> transport;  ///< a lane that is late must not reach into the next generation
    std::unique_ptr<NodeExchange> exchange;
  };
  struct Transfer {
    std::uint64_t number = 0;
    std::shared_ptr<Mapping> mapping;
  };

  void carry_on(const BeginGeneration& request, Generation& next) const;
  void create_transfer(const NodeTask& request);
  void expect_transfer(const NodeTask& request);
  void end_transfer(const NodeTask& request);
  void send_transfer(const NodeTask& request);
  void drop_transfer(std::uint64_t number);
  void place(const NodeTask& request);
  void await_placed(const NodeTask& request);
  void start_from(int buffer);
  Transfer& transfer(std::uint64_t number);

  std::unique_ptr<StoreClient> store_;
  DataPlane data_plane_;
  Address driver_;
  int self_ = 0;
  int num_nodes_ = 1;  ///< without the driver
  std::uint64_t run_ = 0;
  std::vector<Transfer> transfers_;
  mutable std::mutex mutex_;
  std::shared_ptr<Generation> generation_;
};

}  // namespace troupe
