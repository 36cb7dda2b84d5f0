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

/// A node of a run, as the driver sees it.
struct ClusterNode {
  caf::actor actor;
  std::string name;  ///< of its certificate, with its address where several show the same
  NodeJoin join;
  std::shared_ptr<ControlLink> link;
  bool lost = false;

  /// For an error's text.
  std::string how_it_ended() const;
};

/// The driver's nodes: opens the gate at which they join, knows which worker lives where, and holds the driver's own
/// end of the data plane.
class Cluster : public Memberships {
 public:
  /// Listens from now on. @throws Error invalid_argument, bad_certificate or system
  Cluster(caf::actor_system& system, const caf::actor& driver, const ClusterOptions& options, const RunLimits& limits,
          Members& members);
  ~Cluster() override;

  // Joining.
  bool complete() const { return complete_; }
  /// False when the join is none of ours, or comes twice. The last one completes the cluster: from then on nodes have
  /// numbers, in order of name.
  bool accept(const NodeArrival& arrival);
  /// Ends connections whose nodes said hello and did not join in time. Ask now and then.
  void drop_late();
  int joined() const { return static_cast<int>(nodes_.size()); }
  /// Nobody else is waited for: those that have joined are the cluster.
  void complete_with_joined();
  /// A node has gone before all were there: another may take its place.
  void note_departure(const caf::actor_addr& actor);

  // A complete cluster.
  const ClusterNode& node(int index) const { return nodes_[static_cast<std::size_t>(index)]; }
  std::span<const ClusterNode> nodes() const { return nodes_; }
  DataPlane& data_plane() override { return data_plane_; }
  /// For the table of nodes.
  void note_loss(int index);
  /// Whether an actor lives where a worker should; the connection of a node that has it elsewhere is ended.
  bool is_home_of(int worker, const caf::actor& actor);

 private:
  std::vector<PeerNode> peers() const override;
  int streams() const override { return options_.streams; }
  /// A node that has said hello; until it joins, if it does.
  struct Pending {
    std::string token;
    std::shared_ptr<ControlLink> link;
    Deadline deadline;
    bool joined = false;
  };
  Verdict admit(const Hello& hello, const TlsStream& stream);
  void take(const Hello& hello, TlsStream stream);
  /// Why a certificate can have no place more; empty when it can.
  std::string no_place_for(const std::string& name) const;
  /// That one certificate can have in the run.
  int places() const;
  /// Whether a certificate joins more often than a node that loses its connection now and then.
  bool comes_too_often(const std::string& name);
  void admit_nobody_else();
  /// Ends the connection of a node that said hello. The node learns the reason when it says the same hello again.
  void refuse(const Pending& join, const std::string& why);
  std::string status() const;

  ClusterOptions options_;
  Members& members_;
  std::shared_ptr<const Credentials> credentials_;
  const std::shared_ptr<net::RefusalLog> refusals_ = std::make_shared<net::RefusalLog>();
  DataPlane data_plane_;
  mutable std::mutex mutex_;  ///< the gate's thread reads and writes the next four
  std::vector<Pending> pending_;
  std::map<std::string, std::string> refusals_of_joins_;  ///< reasons by token; at most kMostRefusals
  std::map<std::string, std::int64_t> hellos_;            ///< by certificate
  const Clock::time_point began_ = Clock::now();
  std::vector<ClusterNode> nodes_;
  bool complete_ = false;
  std::optional<TlsListener> listener_;
  std::unique_ptr<Gate> gate_;  ///< goes first
};

/// What a driver's gate tells of its run: a JSON array with an object for each node. @throws Error
std::string ask_for_nodes(const Address& driver, const std::string& certs);

}  // namespace troupe
