#pragma once

#include <atomic>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>

#include "actors/messages/copies.hpp"
#include "actors/messages/failure.hpp"
#include "actors/messages/generation.hpp"
#include "actors/messages/transfer.hpp"
#include "actors/node/node_copies.hpp"
#include "actors/servers/parameter_server.hpp"
#include "actors/worker/node_share.hpp"
#include "collectives/state/versioned_state.hpp"
#include "runtime/net/data/data_plane.hpp"
#include "runtime/store/object_store.hpp"

namespace troupe {

/// Returns the membership that `request`, a BeginGeneration or BeginGroup, describes, in the form that the data plane
/// takes.
/// @throws Error protocol if the request is invalid
template <class Request>
Membership membership_of(const Request& request);

/// Executes all requests of the driver to a node; `node_actor` receives these requests. Owns the objects that the
/// workers of the node share: the connections to other nodes and, in each generation, the state and the exchange.
class NodeService : public NodeShare {
 public:
  /// @param driver the address at which this node reaches the driver. It replaces the driver's address in requests,
  /// because the driver does not know under which address nodes can reach it
  /// @param threads the number of threads that receive data from other nodes and from the driver
  /// @param log the log of connections that the data plane refuses
  /// @param copies the node's copies of the state
  NodeService(ObjectStore& store, std::shared_ptr<const Credentials> credentials, Address driver, int threads,
              std::shared_ptr<net::RefusalLog> log = std::make_shared<net::RefusalLog>(),
              NodeCopies copies = NodeCopies());

  DataPlane& data_plane() { return data_plane_; }
  /// Records that the driver has sent a request, which shows that the driver has accepted this node. `was_asked`
  /// returns true afterwards. Both functions are thread-safe.
  void note_asked() { asked_ = true; }
  bool was_asked() const { return asked_; }
  // The next four functions are for the node's workers. They are thread-safe.
  std::shared_ptr<NodeExchange> exchange() const override;
  std::shared_ptr<ServerExchange> server_exchange() const override;
  void check_alike(const SlabLayout& layout, const PlanRequest& plan, std::size_t learned_size) const override;
  std::shared_ptr<NodeGroup> group() const override;

  // Implemented in node_service.cpp:
  void carry_out(const BeginGeneration& request);
  void carry_out(const BeginGroup& request);
  void carry_out(const Connect& request);
  void carry_out(const Publish& request);
  // Implemented in node_server.cpp:
  Pushed carry_out(const Push& request);
  void carry_out(const ShareWeights& request);
  // Implemented in node_transfers.cpp:
  void carry_out(const CreateTransfer& request);
  void carry_out(const ExpectTransfer& request);
  void carry_out(const EndTransfer& request);
  void carry_out(const SendTransfer& request);
  void carry_out(const DropTransfers& request);
  void carry_out(const ExpectPlaced& request);
  void carry_out(const Place& request);
  void carry_out(const ClearState& request);
  void carry_out(const ExpectSlices& request);
  void carry_out(const GatherSlices& request);
  // Implemented in node_copies.cpp:
  CopyBegun carry_out(const BeginCopy& request);
  void carry_out(const SendCopy& request);
  CopyEnded carry_out(const EndCopy& request);
  void carry_out(const ExpectPieces& request);
  PiecesMoved carry_out(const MovePieces& request);
  void carry_out(const DropCopies& request);

 private:
  /// A piece of a copy that moves from or to this node.
  struct MovingPiece {
    CopyPiece piece;
    WindowId window = 0;
    std::span<float> into;  ///< the memory in this node's state; empty if the piece moves to another node
  };
  /// The objects of one generation on this node.
  struct Shared {
    PlanRequest plan_request;
    Plan plan;
    std::uint64_t carried_generation = 0;  ///< the generation from which the versions in the first buffers were copied
    std::vector<int> carried;
    std::shared_ptr<VersionedState> state;
    std::shared_ptr<Transport> transport;    ///< the transport of this generation; kept here, so that a lane that still
                                             ///< works on this generation cannot use the transport of the next one
    std::unique_ptr<NodeExchange> exchange;  ///< null if the run has parameter servers; these use the members below
    std::shared_ptr<ServedState> served;
    std::shared_ptr<ServerExchange> server_exchange;
    std::unique_ptr<ParameterServer> server;  ///< this node's parameter server; null if the node owns no slice
  };

  /// Returns the layout of this node's slabs in the generation that `request` begins.
  /// @throws Error protocol if the request is invalid
  SlabLayout layout_of(const BeginGeneration& request, const Plan& plan) const;
  void give_up_generation(const BeginGeneration& request);
  /// Frees the objects of the previous generation (`before_`), which is no longer needed.
  void give_up_before();
  void carry_on(const BeginGeneration& request, Shared& next) const;
  void make_exchange(Shared& next) const;
  void make_server(const BeginGeneration& request, Shared& next) const;
  /// Returns the objects of the current generation.
  /// @throws Error protocol if no generation has begun
  Shared& current() const;
  /// Returns the transfer object with the number `number`.
  /// @throws Error protocol if there is no transfer with this number
  Mapping& transfer(std::uint64_t number) const;
  /// Returns the contents of the transfer object with the number `number`.
  /// @param floats the expected size of the contents in floats
  /// @throws Error protocol if there is no transfer with this number, or if its size is not `floats`
  std::span<const float> whole_transfer(std::uint64_t number, std::uint64_t floats) const;
  void drop_transfers();
  std::span<float> make_whole(const VersionedState& state, int vector);
  /// Checks that the last request ExpectPlaced or ExpectSlices named the vector `vector` and the buffer `buffer`.
  /// @throws Error protocol if that request named another vector or buffer
  void check_expected(int vector, int buffer) const;
  /// Returns the range of floats that the slices of the lanes of node `node` cover together. The slices of a node are
  /// adjacent.
  Range slices_of_node(int node) const;

  std::atomic<bool> asked_{false};
  std::unique_ptr<StoreClient> store_;
  DataPlane data_plane_;
  Address driver_;
  int self_ = 0;
  int num_nodes_ = 1;  ///< the number of nodes; the driver is not counted
  std::uint64_t run_ = 0;
  std::map<std::uint64_t, std::shared_ptr<Mapping>> transfers_;
  std::pair<int, int> expected_{-1, -1};  ///< the vector, and its buffer, that other nodes may write now
  NodeCopies copies_;
  std::vector<MovingPiece> pieces_;   ///< the pieces of the last request ExpectPieces that concern this node
  std::optional<ObjectId> gathered_;  ///< the name of the object that `make_whole` created: the complete copy of a
                                      ///< vector whose parts are on different nodes
  std::shared_ptr<Mapping> gathered_mapping_;
  mutable std::mutex mutex_;
  std::shared_ptr<Shared> generation_;
  std::shared_ptr<NodeGroup> group_;
  std::shared_ptr<Shared> before_;  ///< the previous generation. Kept until the current generation is published,
                                    ///< because the current generation may fail to begin on another node
};

/// Executes `request` with `service`, and returns the reply. If the request fails, the reply contains the error.
template <class Request>
typename Request::Reply reply_of(NodeService& service, const Request& request) {
  typename Request::Reply reply;
  try {
    if constexpr (std::is_same_v<typename Request::Reply, Done>)
      service.carry_out(request);
    else
      reply = service.carry_out(request);
  } catch (...) {
    reply.failure = Failure::from(std::current_exception(), ErrorCode::system);
  }
  reply.round = request.round;
  return reply;
}

}  // namespace troupe
