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

/// What a data plane is told of a generation, or of a group. @throws Error protocol
template <class Request>
Membership membership_of(const Request& request);

/// What the workers of a node share: its store, its connections to the other nodes, and in each generation the state
/// and the exchange over it. The node's part of everything, without the actor around it.
class NodeService : public NodeShare {
 public:
  /// @param driver where this node reaches the driver, which may not know by which address.
  NodeService(ObjectStore& store, std::shared_ptr<const Credentials> credentials, Address driver, int threads,
              std::shared_ptr<net::RefusalLog> log = std::make_shared<net::RefusalLog>());

  DataPlane& data_plane() { return data_plane_; }
  /// The driver has asked for something, and so has taken this node into its run. Thread-safe, as is `was_asked`.
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
  /// Of one generation.
  struct Shared {
    PlanRequest plan_request;
    Plan plan;
    std::uint64_t carried_generation = 0;  ///< whose content the first buffers began with
    std::vector<int> carried;
    std::shared_ptr<VersionedState> state;
    std::shared_ptr<Transport> transport;    ///< a lane that is late must not reach into the next generation
    std::unique_ptr<NodeExchange> exchange;  ///< none where there are parameter servers, which have these:
    std::shared_ptr<ServedState> served;
    std::shared_ptr<ServerExchange> server_exchange;
    std::unique_ptr<ParameterServer> server;  ///< none where this node owns nothing
  };

  SlabLayout layout_of(const BeginGeneration& request, const Plan& plan) const;
  void give_up_generation(const BeginGeneration& request);
  void give_up_before();
  void carry_on(const BeginGeneration& request, Shared& next) const;
  void make_exchange(Shared& next) const;
  void make_server(const BeginGeneration& request, Shared& next) const;
  /// @throws Error protocol before the first.
  Shared& current() const;
  Mapping& transfer(std::uint64_t number) const;
  /// @throws Error protocol unless it has that size
  std::span<const float> whole_transfer(std::uint64_t number, std::uint64_t floats) const;
  void drop_transfers();
  std::span<float> make_whole(const VersionedState& state, int vector);
  /// @throws Error protocol unless it is what others were last allowed to write
  void check_expected(int vector, int buffer) const;
  /// Its lanes' slices, which lie side by side.
  Range slices_of_node(int node) const;

  std::atomic<bool> asked_{false};
  std::unique_ptr<StoreClient> store_;
  DataPlane data_plane_;
  Address driver_;
  int self_ = 0;
  int num_nodes_ = 1;  ///< without the driver
  std::uint64_t run_ = 0;
  std::map<std::uint64_t, std::shared_ptr<Mapping>> transfers_;
  std::pair<int, int> expected_{-1, -1};  ///< a vector that others may write now, and its buffer
  std::optional<ObjectId> gathered_;      ///< a vector that was made whole
  std::shared_ptr<Mapping> gathered_mapping_;
  mutable std::mutex mutex_;
  std::shared_ptr<Shared> generation_;
  std::shared_ptr<NodeGroup> group_;
  std::shared_ptr<Shared>
      before_;  ///< the one before it, until this one is published: it may not have begun everywhere
};

/// What a node answers to a request, also where that fails.
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
