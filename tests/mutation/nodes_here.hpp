#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <vector>

#include "actors/node/memberships.hpp"
#include "actors/node/node_service.hpp"
#include "actors/placements/runtime.hpp"
#include "actors/worker/worker.hpp"
#include "mutation/party.hpp"
#include "mutation/wire.hpp"
#include "runtime/net/gate/gate.hpp"

// A cluster in one process. The driver, its rounds and the home of its state are real, and so are the duties of nodes
// and workers and the data plane between them, with TLS over loopback. Only control connections are replaced: messages
// go from inbox to inbox through a `Wire`, and must obey the rules of such a connection.
namespace troupe_test {

/// The memory in which nodes keep copies of the state. It outlives their runs, as the memory of a node's supervisor
/// does.
class CopiesHere {
 public:
  troupe::NodeCopies of_node(int number);

 private:
  std::mutex mutex_;
  std::map<int, troupe::NodeCopies::Files> files_;
};

/// A node of a run in this process, without the node's actor.
struct NodeHere {
  NodeHere(int number, const troupe::Address& driver, troupe::NodeCopies copies);

  const std::string name;
  troupe::ObjectStore store;
  troupe::NodeService service;
  troupe::Gate gate;
  troupe::NodeJoin join;
  std::string end;  ///< why the driver has closed the node's connection; empty if it has not
};

/// The members of one run and the driver's access to them.
class NodesHere : public troupe::Reception, public troupe::Memberships {
 public:
  NodesHere(std::shared_ptr<Wire> wire, CopiesHere& copies, int nodes);
  ~NodesHere() override;

  /// Must be called first.
  void attach(const troupe::Members& members);

  /// Lets nodes join. @throws Error timeout if a node may not join
  void gather();
  void start_worker(int worker);
  const NodeHere& node(int number) const { return *nodes_.at(static_cast<std::size_t>(number)); }
  const std::shared_ptr<Wire>& wire() const { return wire_; }
  /// Returns whether the actor of a worker is at the right node. If it is elsewhere, closes the connection of its node.
  bool is_home_of(int worker, const caf::actor& actor);
  /// Ends the connection of a node.
  void cut(int node, const std::string& why);

  troupe::DataPlane& data_plane() override { return data_plane_; }
  void seat(int member, const caf::actor& actor) override;
  void unseat(int member) override;
  void send(int member, const caf::message& message) override;

 private:
  /// A message of a party; empty if the party has ended.
  struct Said {
    int party = 0;
    caf::message content;
  };

  std::vector<troupe::PeerNode> peers() const override;
  int streams() const override { return 1; }
  std::optional<troupe::Happening> hear(const troupe::Deadline& deadline) override;
  std::optional<troupe::Happening> heard(Said said);

  /// The link through which replicas reply. Some replicas end only after their run.
  struct Line {
    std::shared_mutex mutex;
    NodesHere* nodes;  ///< null once the run has ended
  };
  /// The node of a party, and its number as a member.
  struct Place {
    int node = 0;
    int member = 0;
  };

  int add_party(const Place& place, const std::function<Party::CarryOut(int party)>& make);
  void carry_out(int party, int node, const caf::message& request);
  void carry_out(int party, troupe::Worker& worker, const caf::message& request);
  void begin_worker(int node, int index);
  void say(int party, caf::message message);
  int party_of(const caf::actor& actor) const;

  const std::shared_ptr<Wire> wire_;
  const std::shared_ptr<Line> line_;
  const troupe::Members* members_ = nullptr;
  troupe::RunLimits limits_;
  troupe::DataPlane data_plane_;
  std::unique_ptr<troupe::Gate> gate_;
  std::vector<std::shared_ptr<NodeHere>> nodes_;
  mutable std::mutex mutex_;  ///< protects the members below
  std::condition_variable changed_;
  std::deque<Said> said_;
  std::vector<std::unique_ptr<Party>> parties_;
  std::vector<Place> places_;  ///< by party
  std::vector<std::shared_ptr<troupe::Worker>> workers_;
  std::vector<caf::actor> actors_;  ///< by party; actors without behaviour that serve as names
  std::map<int, int> layout_;       ///< the party of each member
  bool ends_ = false;
};

/// Returns the runtime of a driver that leads such a run.
troupe::MakeRuntime nodes_here(std::shared_ptr<Wire> wire);

}  // namespace troupe_test
