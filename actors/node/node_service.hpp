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

#include "actors/messages/failure.hpp"
#include "actors/messages/generation.hpp"
#include "actors/messages/transfer.hpp"
#include "actors/servers/parameter_server.hpp"
#include "actors/worker/node_share.hpp"
#include "collectives/state/versioned_state.hpp"
#include "runtime/net/data/data_plane.hpp"
#include "runtime/store/object_store.hpp"

namespace troupe {

/// Returns the description of a generation or group for the data plane.
/// @throws Error protocol if the request is invalid
template <class Request>
Membership membership_of(const Request& request);

/// The objects that the workers of a node share: its store, its connections to other nodes and, in each generation, the
/// state and its exchange. Carries out all requests to the node; contains no actor.
class NodeService : public NodeShare {
 public:
  /// @param driver the address at which this node reaches the driver; the driver may not know this address
  NodeService(ObjectStore& store, std::shared_ptr<const Credentials> credentials, Address driver, int threads,
              std::shared_ptr<net::RefusalLog> log = std::make_shared<net::RefusalLog>());

  DataPlane& data_plane() { return data_plane_; }
  /// Records that the driver has sent a request, and so has accepted this node. `note_asked` and `was_asked` are
  /// thread-safe.
  void note_asked() { asked_ = true; }
  bool was_asked() const { return asked_; }
  std::shared_ptr<NodeExchange> exchange() const override;
  std::shared_ptr<ServerExchange> server_exchange() const override;
  void check_alike(const SlabLayout& layout, const PlanRequest& plan, std::size_t learned_size) const override;
  std::shared_ptr<NodeGroup> group() const override;

  // node_service.cpp
  void carry_out(const BeginGeneration& request);
  void carry_out(const BeginGroup& request);
  void carry_out(const Connect& request);
  void carry_out(const Publish& request);
  // node_server.cpp
  Pushed carry_out(const Push& request);
  void carry_out(const ShareWeights& request);
  // node_transfers.cpp
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

 private:
  /// The objects of one generation.
  struct Shared {
    PlanRequest plan_request;
    Plan plan;
    std::uint64_t carried_generation = 0;  ///< the generation whose contents were copied into the first buffers
    std::vector<int> carried;
    std::shared_ptr<VersionedState> state;
    std::shared_ptr<Transport> transport;    ///< a straggling lane must not use the transport of the next generation
    std::unique_ptr<NodeExchange> exchange;  ///< null if there are parameter servers, which use:
    std::shared_ptr<ServedState> served;
    std::shared_ptr<ServerExchange> server_exchange;
    std::unique_ptr<ParameterServer> server;  ///< null if this node owns no slice
  };

  SlabLayout layout_of(const BeginGeneration& request, const Plan& plan) const;
  void give_up_generation(const BeginGeneration& request);
  void give_up_before();
  void carry_on(const BeginGeneration& request, Shared& next) const;
  void make_exchange(Shared& next) const;
  void make_server(const BeginGeneration& request, Shared& next) const;
  /// @throws Error protocol before the first generation
  Shared& current() const;
  Mapping& transfer(std::uint64_t number) const;
  /// @throws Error protocol if the transfer has another size
  std::span<const float> whole_transfer(std::uint64_t number, std::uint64_t floats) const;
  void drop_transfers();
  std::span<float> make_whole(const VersionedState& state, int vector);
  /// @throws Error protocol if other nodes were last allowed to write another vector or buffer
  void check_expected(int vector, int buffer) const;
  /// Returns the slices of a node's lanes, which are adjacent.
  Range slices_of_node(int node) const;

  std::atomic<bool> asked_{false};
  std::unique_ptr<StoreClient> store_;
  DataPlane data_plane_;
  Address driver_;
  int self_ = 0;
  int num_nodes_ = 1;  ///< without the driver
  std::uint64_t run_ = 0;
  std::map<std::uint64_t, std::shared_ptr<Mapping>> transfers_;
  std::pair<int, int> expected_{-1, -1};  ///< the vector that other nodes may write now, and its buffer
  std::optional<ObjectId> gathered_;      ///< the complete copy of a vector whose parts are on different nodes
  std::shared_ptr<Mapping> gathered_mapping_;
  mutable std::mutex mutex_;
  std::shared_ptr<Shared> generation_;
  std::shared_ptr<NodeGroup> group_;
  std::shared_ptr<Shared>
      before_;  ///< the previous generation, until this one is published: this one may not have begun on all nodes
};

/// Carries out a request and returns the reply, which contains the failure if there is one.
template <class Request>
typename Request::Reply reply_of(NodeService& service, const Request& request) {
  typename Request::Reply reply;
  reply.round = request.round;
  try {
    if constexpr (std::is_same_v<typename Request::Reply, Done>)
      service.carry_out(request);
    else
      reply = service.carry_out(request);
  } catch (...) {
    reply.failure = Failure::from(std::current_exception(), ErrorCode::system);
  }
  return reply;
}

}  // namespace troupe
