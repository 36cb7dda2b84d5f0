#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "actors/messages/generation.hpp"
#include "actors/node/memberships.hpp"
#include "actors/rounds/driver_mailbox.hpp"
#include "actors/rounds/members.hpp"
#include "actors/transport/tls_transport.hpp"
#include "runtime/net/data/data_plane.hpp"
#include "runtime/net/gate/gate.hpp"
#include "runtime/net/gate/refusal_log.hpp"
#include "troupe/sgd.hpp"

namespace troupe {

/// The driver's record of a node that has joined the run.
struct ClusterNode {
  caf::actor actor;
  std::string name;  ///< the name in the node's certificate, followed by the node's address if several nodes use this
                     ///< certificate
  NodeJoin join;
  std::shared_ptr<ControlLink> link;
  bool lost = false;

  /// Returns how the connection to the node ended, as a phrase for an error message.
  std::string how_it_ended() const;
};

/// The nodes of a run. Opens the gate at which nodes join, records the nodes that have joined, and owns the driver's
/// own end of the data plane.
class Cluster : public Memberships {
 public:
  /// Opens the gate and listens for nodes from now on.
  /// @param driver the driver's actor, to which nodes send their messages
  /// @param limits the maximum sizes of lists in messages of this run
  /// @param members the members of the run; workers are assigned to nodes when the cluster is complete
  /// @throws Error invalid_argument if an option is invalid, bad_certificate, or system if listening fails
  Cluster(caf::actor_system& system, const caf::actor& driver, const ClusterOptions& options, const RunLimits& limits,
          Members& members);
  ~Cluster() override;

  // Functions that are used while nodes join:
  bool complete() const { return complete_; }
  /// Accepts a node that has sent NodeJoin. Returns false, and accepts nothing, if the join is not valid, or belongs to
  /// no hello, or is a repetition. The last missing node completes the cluster. The nodes are then numbered in order of
  /// their names.
  bool accept(const NodeArrival& arrival);
  /// Ends connections of nodes that have sent a hello and have not joined within ten seconds. Must be called regularly
  /// while nodes join.
  void drop_late();
  /// Returns the number of nodes that have joined.
  int joined() const { return static_cast<int>(nodes_.size()); }
  /// Completes the cluster with the nodes that have joined.
  void complete_with_joined();
  /// Records that a node has left before the cluster is complete. Another node may take its place.
  void note_departure(const caf::actor_addr& actor);

  // Functions that require a complete cluster:
  const ClusterNode& node(int index) const { return nodes_[static_cast<std::size_t>(index)]; }
  std::span<const ClusterNode> nodes() const { return nodes_; }
  DataPlane& data_plane() override { return data_plane_; }
  /// Records that a node is lost, for the status that `ask_for_nodes` returns.
  void note_loss(int index);
  /// Returns true if `actor`, which joins as `worker`, is on the node to which that worker belongs. If it is on another
  /// node, ends the connection of that other node, because the node violates the protocol.
  bool is_home_of(int worker, const caf::actor& actor);

 private:
  std::vector<PeerNode> peers() const override;
  int streams() const override { return options_.streams; }
  /// A node whose hello was accepted.
  struct Pending {
    std::string token;
    std::shared_ptr<ControlLink> link;
    Deadline deadline;
    bool joined = false;
  };
  /// The next two functions are called by the gate, on its thread: `admit` decides about a hello, and `take` receives
  /// the stream of an accepted caller.
  Verdict admit(const Hello& hello, const TlsStream& stream);
  void take(const Hello& hello, TlsStream stream);
  /// Returns the reason why no further node may use the certificate with this name; empty if another node may use it.
  std::string no_place_for(const std::string& name) const;
  /// Returns the number of nodes that may use the same certificate in the run.
  int places() const;
  /// Counts a hello with the certificate `name`. Returns true if there were more hellos with this certificate than a
  /// node sends that loses its connection now and then.
  bool comes_too_often(const std::string& name);
  /// Completes the cluster: numbers the nodes, assigns workers to them, and refuses other nodes.
  void admit_nobody_else();
  /// Ends the connection of a node whose hello was accepted, and stores the reason. The node receives the reason if it
  /// sends the same hello again.
  void refuse(const Pending& join, const std::string& why);
  /// Returns the answer to `ask_for_nodes`, as JSON.
  std::string status() const;

  ClusterOptions options_;
  Members& members_;
  std::shared_ptr<const Credentials> credentials_;
  const std::shared_ptr<net::RefusalLog> refusals_ = std::make_shared<net::RefusalLog>();
  DataPlane data_plane_;
  mutable std::mutex mutex_;  ///< guards members that the gate's thread uses as well: the next three, `nodes_`,
                              ///< `complete_` and `listener_`
  std::vector<Pending> pending_;
  std::map<std::string, std::string> refusals_of_joins_;  ///< by token of the hello: the reason; at most kMostRefusals
  std::map<std::string, std::int64_t> hellos_;            ///< by name of the certificate: the number of hellos
  const Clock::time_point began_ = Clock::now();
  std::vector<ClusterNode> nodes_;
  bool complete_ = false;
  std::optional<TlsListener> listener_;
  std::unique_ptr<Gate> gate_;  ///< declared last and so destroyed first, because its thread uses this object
};

/// Requests the table of nodes from a driver's gate. Returns a JSON array with one object per node.
/// @param driver the address of the gate
/// @param certs the folder of the certificate with which this process connects
/// @throws Error if the driver cannot be reached
std::string ask_for_nodes(const Address& driver, const std::string& certs);

}  // namespace troupe
