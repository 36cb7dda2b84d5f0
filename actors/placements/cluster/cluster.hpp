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

/// A node of a run, from the driver's point of view.
struct ClusterNode {
  caf::actor actor;
  std::string name;  ///< the name in its certificate, with its address if several nodes use the same certificate
  NodeJoin join;
  std::shared_ptr<ControlLink> link;
  bool lost = false;

  /// Returns a phrase for the text of an error.
  std::string how_it_ended() const;
};

/// The driver's nodes. Opens the gate at which nodes join, records which worker is on which node, and holds the
/// driver's own end of the data plane.
class Cluster : public Memberships {
 public:
  /// Listens from now on.
  /// @throws Error invalid_argument, bad_certificate or system
  Cluster(caf::actor_system& system, const caf::actor& driver, const ClusterOptions& options, const RunLimits& limits,
          Members& members);
  ~Cluster() override;

  // Joining:
  bool complete() const { return complete_; }
  /// Returns false if the join is unknown or repeated. The last join completes the cluster: from then on nodes have
  /// numbers, in order of their names.
  bool accept(const NodeArrival& arrival);
  /// Ends connections of nodes that sent a hello and did not join in time. Must be called from time to time.
  void drop_late();
  int joined() const { return static_cast<int>(nodes_.size()); }
  /// Stops waiting: the nodes that have joined form the cluster.
  void complete_with_joined();
  /// Records that a node has left before the cluster was complete. Another node may take its place.
  void note_departure(const caf::actor_addr& actor);

  // A complete cluster:
  const ClusterNode& node(int index) const { return nodes_[static_cast<std::size_t>(index)]; }
  std::span<const ClusterNode> nodes() const { return nodes_; }
  DataPlane& data_plane() override { return data_plane_; }
  /// Records the loss for the table of nodes.
  void note_loss(int index);
  /// Returns whether the actor is on the worker's node. If it is on another node, ends that node's connection.
  bool is_home_of(int worker, const caf::actor& actor);

 private:
  std::vector<PeerNode> peers() const override;
  int streams() const override { return options_.streams; }
  /// A node that has sent a hello, until it joins.
  struct Pending {
    std::string token;
    std::shared_ptr<ControlLink> link;
    Deadline deadline;
    bool joined = false;
  };
  Verdict admit(const Hello& hello, const TlsStream& stream);
  void take(const Hello& hello, TlsStream stream);
  /// Returns why no further node may use this certificate; empty if one may.
  std::string no_place_for(const std::string& name) const;
  /// Returns how many nodes may use one certificate in the run.
  int places() const;
  /// Returns true if a certificate connects more often than a node with occasional connection losses would.
  bool comes_too_often(const std::string& name);
  void admit_nobody_else();
  /// Ends the connection of a node that sent a hello. The node gets the reason when it sends the same hello again.
  void refuse(const Pending& join, const std::string& why);
  std::string status() const;

  ClusterOptions options_;
  Members& members_;
  std::shared_ptr<const Credentials> credentials_;
  const std::shared_ptr<net::RefusalLog> refusals_ = std::make_shared<net::RefusalLog>();
  DataPlane data_plane_;
  mutable std::mutex mutex_;  ///< guards the next four members, which the gate's thread reads and writes
  std::vector<Pending> pending_;
  std::map<std::string, std::string> refusals_of_joins_;  ///< reasons by token; at most kMostRefusals
  std::map<std::string, std::int64_t> hellos_;            ///< by certificate
  const Clock::time_point began_ = Clock::now();
  std::vector<ClusterNode> nodes_;
  bool complete_ = false;
  std::optional<TlsListener> listener_;
  std::unique_ptr<Gate> gate_;  ///< destroyed first
};

/// Asks a driver's gate about its run. Returns a JSON array with one object per node.
/// @throws Error if the driver cannot be reached
std::string ask_for_nodes(const Address& driver, const std::string& certs);

}  // namespace troupe
