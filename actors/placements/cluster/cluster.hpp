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
#include "actors/placements/host.hpp"
#include "actors/placements/hosting.hpp"
#include "actors/placements/run_history.hpp"
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
  /// The name in the node's certificate. If several nodes use this certificate, the node's address follows.
  std::string name;
  NodeJoin join;
  std::shared_ptr<ControlLink> link;
  bool lost = false;
  bool leaves = false;  ///< the node has announced that it leaves

  /// Returns a phrase for an error message that states how the connection to the node ended.
  std::string how_it_ended() const;
};

/// The nodes of a run in a cluster. Opens the driver's gate, at which nodes join, records the nodes that have joined,
/// and owns the driver's end of the data plane.
class Cluster : public Memberships {
 public:
  /// Opens the gate and starts to accept nodes.
  /// @param driver the driver's actor, to which nodes send their messages
  /// @param limits the maximum lengths of lists in the messages of this run
  /// @param members the members of the run; workers are assigned to nodes when the cluster is complete
  /// @throws Error invalid_argument if an option is invalid, bad_certificate, or system if listening fails
  Cluster(caf::actor_system& system, const caf::actor& driver, const Hosting& hosting, const RunLimits& limits,
          Members& members);
  ~Cluster() override;

  // Functions that are used while nodes join:
  /// Accepts the node that has sent the message NodeJoin in `arrival`. Returns false, and does not accept the node, if
  /// the message is invalid, belongs to no accepted hello, or is a repetition.
  bool accept(const NodeArrival& arrival);
  /// Ends the connection of each node that has not joined within ten seconds after its hello. Must be called regularly
  /// while nodes join.
  void drop_late();
  /// Returns the number of nodes that have joined.
  int joined() const { return static_cast<int>(nodes_.size()); }
  /// Returns the nodes that have joined, in order.
  std::vector<JoinedNode> candidates() const;
  /// Ends the connections of those of `nodes` that want to leave, so that they have not joined any more.
  /// @param nodes the result of the last call of `candidates`
  void let_leavers_go(const std::vector<JoinedNode>& nodes);
  /// Completes the cluster with the nodes at these positions among those that have joined, and refuses all others.
  /// Numbers the nodes in the order of their names, and assigns workers to them.
  void complete_with(const std::vector<std::size_t>& chosen);
  /// Records that the node with this actor has left before the cluster was complete, so that another node may take its
  /// place.
  void note_departure(const caf::actor_addr& actor);

  // Functions that require a complete cluster:
  const ClusterNode& node(int index) const { return nodes_[static_cast<std::size_t>(index)]; }
  std::span<const ClusterNode> nodes() const { return nodes_; }
  DataPlane& data_plane() override { return data_plane_; }
  /// Returns the names in the certificates of the nodes that have tried to join recently, and for which the run has
  /// room.
  std::vector<std::string> newcomers() const;
  /// Returns the nodes that have announced that they leave.
  std::vector<int> leavers() const;
  // `ask_for_nodes` returns what the next three functions record.
  /// Records that the node with this index is lost.
  void note_loss(int index);
  /// Records the copies of the state that the nodes have made so far. Each node keeps the copy of the node before it.
  void note_copies(const CopyTotals& totals);
  /// Records the latest changes of the nodes of the run, oldest first.
  void note_changes(const std::vector<NodesChange>& changes);
  /// Returns true if `actor`, which joins as `worker`, runs on the node that hosts this worker. If the actor runs on
  /// another node, ends the connection of the other node, because it violates the protocol.
  bool is_home_of(int worker, const caf::actor& actor);

 private:
  std::vector<PeerNode> peers() const override;
  int streams() const override { return options_.streams; }
  /// A connection of a node whose hello was accepted while nodes join.
  struct Pending {
    std::string token;
    std::shared_ptr<ControlLink> link;
    Deadline deadline;
    bool leaves = false;  ///< see Purpose::hand_over
    bool joined = false;
  };
  /// `admit` decides whether a connection with this hello is accepted. `take` then receives the stream of an accepted
  /// connection. The gate calls both functions on its own thread.
  Verdict admit(const Hello& hello, const TlsStream& stream);
  void take(const Hello& hello, TlsStream stream);
  /// Records the announcement of the node that has joined with this token, and whose certificate has the name `name`,
  /// that it leaves. Returns the answer to the node.
  Verdict note_leaver(const std::string& token, const std::string& name);
  /// Returns the answer to a node that wants to join while the run works.
  Verdict put_off(const std::string& name);
  /// Returns the reason why no further node may use the certificate `name`. Returns an empty string if another node may
  /// use it.
  std::string no_place_for(const std::string& name) const;
  /// Returns the number of nodes of the run that may use the same certificate.
  int places() const;
  /// Counts a hello with the certificate `name`. Returns true if there were more hellos with this certificate than can
  /// be explained by nodes that connect again after a broken connection.
  bool comes_too_often(const std::string& name);
  /// Ends a connection whose hello was accepted, and stores the reason `why`. If the node sends the same hello again,
  /// it receives this reason.
  void refuse(const Pending& join, const std::string& why);
  /// Returns what `ask_for_nodes` requests.
  std::string status() const;

  ClusterOptions options_;
  const int min_workers_;
  const int max_workers_;
  const int cores_per_worker_;
  Members& members_;
  std::shared_ptr<const Credentials> credentials_;
  const std::shared_ptr<net::RefusalLog> refusals_ = std::make_shared<net::RefusalLog>();
  DataPlane data_plane_;
  /// Guards the data members that the gate's thread uses as well: all of the following ones except `began_`.
  mutable std::mutex mutex_;
  std::vector<Pending> pending_;
  std::map<std::string, std::string>
      refusals_of_joins_;  ///< by token of the hello: the reason of the refusal; at most kMostRefusals entries
  std::map<std::string, Clock::time_point> newcomers_;  ///< by name of the certificate: the time of the last hello of a
                                                        ///< node that wants to join while the run works
  std::map<std::string, std::int64_t> hellos_;          ///< by name of the certificate: the number of hellos received
  const Clock::time_point began_ = Clock::now();
  std::vector<ClusterNode> nodes_;
  bool complete_ = false;
  CopyTotals copies_;
  std::vector<NodesChange> changes_;
  std::optional<TlsListener> listener_;
  std::unique_ptr<Gate> gate_;  ///< declared last and so destroyed first, because the gate's thread uses this object
};

/// Requests the state of the nodes of a run from the gate of its driver. Returns a JSON object with the keys `nodes`
/// (an array with one object per node), `copies` (CopyTotals) and `changes` (an array of NodesChange, oldest first).
/// @param driver the address of the driver's gate
/// @param certs the folder with the certificate with which this process connects
/// @throws Error if the driver cannot be reached
std::string ask_for_nodes(const Address& driver, const std::string& certs);

}  // namespace troupe
