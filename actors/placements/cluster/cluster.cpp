#include "actors/placements/cluster/cluster.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

#include "actors/placements/cluster/join_check.hpp"

namespace troupe {
namespace {

constexpr std::chrono::seconds kStatusTimeout{5};
/// The maximum time from a node's hello to its message NodeJoin.
constexpr std::chrono::seconds kAdmissionTimeout{10};
/// The maximum number of hellos per certificate is (kHellosAtStart + kHellosPerSecond * s) * n. Here s is the number of
/// seconds since the gate was opened, and n is the number of nodes that may use the certificate.
constexpr std::int64_t kHellosAtStart = 64;
constexpr std::int64_t kHellosPerSecond = 4;
constexpr std::size_t kMostRefusals = 1000;
/// A node that wants to join while the run works tries again at least this often.
constexpr std::chrono::seconds kWaitingTime{5};

std::string text_of(const Token& token) { return {reinterpret_cast<const char*>(token.data()), token.size()}; }

std::int64_t seconds_since(Clock::time_point time) {
  return std::chrono::duration_cast<std::chrono::seconds>(Clock::now() - time).count();
}

Verdict told(std::string status) {
  Verdict verdict;
  verdict.status = std::move(status);
  return verdict;
}

std::shared_ptr<const Credentials> check(const ClusterOptions& options) {
  if (options.certs.empty())
    throw Error(ErrorCode::bad_certificate,
                "a cluster needs certificates to listen on a network: create them with `troupe certs "
                "init DIR` and pass DIR/driver");
  return std::make_shared<const Credentials>(options.certs, Role::driver);
}

}  // namespace

std::string ClusterNode::how_it_ended() const {
  const std::string why = link->refusal();
  return why.empty() ? "its connection broke" : "its connection was ended, because " + why;
}

Cluster::Cluster(caf::actor_system& system, const caf::actor& driver, const Hosting& hosting, const RunLimits& limits,
                 Members& members)
    : options_(hosting.cluster),
      min_workers_(hosting.min_workers),
      max_workers_(hosting.num_workers),
      cores_per_worker_(hosting.cores_per_worker),
      members_(members),
      credentials_(check(options_)),
      data_plane_(credentials_, 1, refusals_) {
  // The lock is held until `listener_` exists, so that no node can join before that. The listener is created last,
  // because CAF would not free a listener that ends at once. So if the constructor of the gate throws, no listener
  // exists yet.
  const std::lock_guard lock(mutex_);
  gate_ = std::make_unique<Gate>(
      Address::parse(options_.listen, 1), credentials_,
      [this](const Hello& hello, const TlsStream& stream) { return admit(hello, stream); },
      [this](const Hello& hello, TlsStream stream) { take(hello, std::move(stream)); }, Gate::kHandshakeTimeout,
      refusals_);
  listener_.emplace(system, driver, limits);
}

Cluster::~Cluster() = default;

Verdict Cluster::admit(const Hello& hello, const TlsStream& stream) {
  if (hello.purpose == Purpose::status) return told(status());
  if (hello.purpose == Purpose::leave) return note_leaver(text_of(hello.token), stream.peer_name());
  if (hello.purpose == Purpose::data) return data_plane_.admit(hello, stream);
  if (stream.peer_role() != Role::node) return "only a node may join";
  const std::lock_guard lock(mutex_);
  if (!listener_) return "the run did not begin";
  const std::string token = text_of(hello.token);
  if (const auto refused = refusals_of_joins_.find(token); refused != refusals_of_joins_.end()) return refused->second;
  const auto known = [&](const Pending& each) { return each.token == token; };
  const bool leaves = hello.purpose == Purpose::hand_over;
  if (complete_) return leaves ? kMayLeave : put_off(stream.peer_name());
  if (std::any_of(pending_.begin(), pending_.end(), known)) return "this join has been seen before";
  if (const std::string problem = no_place_for(stream.peer_name()); !problem.empty()) return problem;
  if (comes_too_often(stream.peer_name())) return "it connects too often";
  return "";
}

int Cluster::places() const { return options_.shared_certificates ? options_.num_nodes : 1; }

Verdict Cluster::put_off(const std::string& name) {
  const bool room = static_cast<int>(nodes_.size()) < options_.num_nodes;
  if (!room) return "the run has all its nodes";
  if (const std::string problem = no_place_for(name); !problem.empty()) return problem;
  if (newcomers_.size() < kMostRefusals) newcomers_[name] = Clock::now();
  return kTryAgainSoon;
}

std::vector<std::string> Cluster::newcomers() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> names;
  for (const auto& [name, seen] : newcomers_)
    if (Clock::now() - seen < kWaitingTime) names.push_back(name);
  return names;
}

Verdict Cluster::note_leaver(const std::string& token, const std::string& name) {
  const std::lock_guard lock(mutex_);
  const auto node = std::ranges::find_if(
      nodes_, [&](const ClusterNode& each) { return each.join.token == token && each.link->name() == name; });
  if (node == nodes_.end()) return "it is not in the run";
  node->leaves = true;
  return told("the node leaves after the step");
}

std::vector<int> Cluster::leavers() const {
  const std::lock_guard lock(mutex_);
  std::vector<int> leavers;
  for (std::size_t i = 0; i < nodes_.size(); ++i)
    if (nodes_[i].leaves) leavers.push_back(static_cast<int>(i));
  return leavers;
}

/// Compares the number of open connections with this certificate with `places`. Connections count whether or not their
/// nodes have joined. A node that sends a hello and never joins therefore blocks only nodes with the same certificate.
std::string Cluster::no_place_for(const std::string& name) const {
  const auto taken = std::count_if(pending_.begin(), pending_.end(),
                                   [&](const Pending& each) { return each.link->open() && each.link->name() == name; });
  // While nodes join, there are more places, so that nodes without copies of the state cannot keep out nodes with
  // copies.
  if (taken < (options_.shared_certificates && !complete_ ? 2 : 1) * places()) return "";
  return "the certificate of " + name + " is in the run already, and no more nodes may share it";
}

/// The number of hellos is limited, because CAF keeps some memory for each connection until the run ends.
bool Cluster::comes_too_often(const std::string& name) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(Clock::now() - began_).count();
  return ++hellos_[name] > places() * (kHellosAtStart + kHellosPerSecond * seconds);
}

void Cluster::take(const Hello& hello, TlsStream stream) {
  if (hello.purpose == Purpose::data) return data_plane_.take(hello, std::move(stream));
  const auto link =
      std::make_shared<ControlLink>(stream, [log = refusals_](const ControlLink& ended, const std::string& why) {
        log->refused(ended.name() + " at " + ended.address(), ended.name(), why);
      });
  {
    const std::lock_guard lock(mutex_);
    std::erase_if(pending_, [](const Pending& each) { return !each.link->open(); });
    if (complete_) return;  // the cluster was completed after `admit` had accepted the hello
    pending_.push_back({text_of(hello.token), link, Deadline(kAdmissionTimeout), hello.purpose == Purpose::hand_over});
  }
  try {
    listener_->hand_over(std::move(stream), link);
  } catch (const Error& error) {
    link->refuse(error.message());  // this ends the connection, so that another node may take the place
  }
}

bool Cluster::accept(const NodeArrival& arrival) {
  const NodeJoin& join = arrival.join;
  const std::lock_guard lock(mutex_);
  if (complete_ || !arrival.actor) return false;
  const auto known = std::find_if(pending_.begin(), pending_.end(),
                                  [&](const Pending& each) { return each.link->leads_to(arrival.actor.node()); });
  if (known == pending_.end() || known->joined) return false;
  const std::string problem = join.token == known->token
                                  ? join_problem(join, Address::parse(known->link->address()).host)
                                  : "its join does not match its hello";
  if (!problem.empty()) {
    refuse(*known, problem);
    return false;
  }
  known->joined = true;
  nodes_.push_back({arrival.actor, known->link->name(), join, known->link, false, known->leaves});
  return true;
}

void Cluster::drop_late() {
  const std::lock_guard lock(mutex_);
  for (const Pending& each : pending_)
    if (!each.joined && each.deadline.passed() && each.link->open()) refuse(each, "it sent a hello but did not join");
}

void Cluster::refuse(const Pending& join, const std::string& why) {
  if (refusals_of_joins_.size() < kMostRefusals) refusals_of_joins_.insert_or_assign(join.token, why);
  join.link->refuse(why);
}

std::vector<JoinedNode> Cluster::candidates() const {
  const std::lock_guard lock(mutex_);
  std::vector<JoinedNode> nodes;
  nodes.reserve(nodes_.size());
  for (const ClusterNode& node : nodes_) nodes.push_back({node.link->name(), node.join.copies, node.leaves});
  return nodes;
}

void Cluster::let_leavers_go(const std::vector<JoinedNode>& nodes) {
  const std::lock_guard lock(mutex_);
  std::vector<ClusterNode> kept;
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    if (i >= nodes.size() || !nodes[i].leaves) {
      kept.push_back(nodes_[i]);
      continue;
    }
    const auto its = std::ranges::find(pending_, nodes_[i].link, &Pending::link);
    if (its != pending_.end()) refuse(*its, kMayLeave);
  }
  nodes_ = std::move(kept);
}

void Cluster::complete_with(const std::vector<std::size_t>& chosen) {
  const std::lock_guard lock(mutex_);
  complete_ = true;
  std::vector<ClusterNode> nodes;
  nodes.reserve(chosen.size());
  for (const std::size_t node : chosen) nodes.push_back(nodes_.at(node));
  nodes_ = std::move(nodes);
  for (const Pending& each : pending_)
    if (each.link->open() && std::ranges::find(nodes_, each.link, &ClusterNode::link) == nodes_.end())
      refuse(each, "the run has all its nodes");
  const auto key = [](const ClusterNode& node) { return std::pair(node.name, node.link->address()); };
  std::sort(nodes_.begin(), nodes_.end(), [&](const auto& a, const auto& b) { return key(a) < key(b); });
  std::vector<int> cores;
  for (ClusterNode& node : nodes_) {
    const auto same = [&](const ClusterNode& other) { return other.link->name() == node.link->name(); };
    if (std::count_if(nodes_.begin(), nodes_.end(), same) > 1) node.name += " at " + node.link->address();
    cores.push_back(node.join.cores / cores_per_worker_);
  }
  const int least = std::max(min_workers_, joined());
  members_.deal_to_nodes(cores, std::clamp(std::reduce(cores.begin(), cores.end()), least, max_workers_));
}

void Cluster::note_departure(const caf::actor_addr& actor) {
  const std::lock_guard lock(mutex_);
  if (!complete_) std::erase_if(nodes_, [&](const ClusterNode& node) { return node.actor.address() == actor; });
}

void Cluster::note_copies(const CopyTotals& totals) {
  const std::lock_guard lock(mutex_);
  copies_ = totals;
}

void Cluster::note_changes(const std::vector<NodesChange>& changes) {
  const std::lock_guard lock(mutex_);
  changes_ = changes;
}

void Cluster::note_loss(int index) {
  const std::lock_guard lock(mutex_);
  nodes_[static_cast<std::size_t>(index)].lost = true;
}

bool Cluster::is_home_of(int worker, const caf::actor& actor) {
  if (node(members_.node_of(worker)).actor.node() == actor.node()) return true;
  for (const ClusterNode& each : nodes_)
    if (each.actor.node() == actor.node()) each.link->refuse("its worker joins as another node's worker");
  return false;
}

std::vector<PeerNode> Cluster::peers() const {
  std::vector<PeerNode> peers;
  for (const ClusterNode& node : nodes_)
    peers.push_back({node.link->name(), {node.join.host, node.join.port}, Role::node, node.name});
  peers.push_back({credentials_->name(), gate_->address(), Role::driver, ""});
  return peers;
}

std::string Cluster::status() const {
  nlohmann::json nodes = nlohmann::json::array();
  const std::lock_guard lock(mutex_);
  const bool copy = copies_.step >= 0 && nodes_.size() > 1;
  std::vector<int> workers(nodes_.size());
  for (int worker = 0; complete_ && worker < members_.num_workers(); ++worker)
    ++workers[static_cast<std::size_t>(members_.node_of(worker))];
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const ClusterNode& node = nodes_[i];
    const char* state = node.lost ? "lost" : node.leaves ? "leaving" : complete_ ? "serving" : "joined";
    nodes.push_back({{"node", node.name},
                     {"address", node.link->address()},
                     {"cores", node.join.cores},
                     {"devices", node.join.devices},
                     {"workers", workers[i]},
                     {"state", state},
                     {"round_trip_us", node.link->round_trip_us()},
                     {"copy_of", copy ? nodes_[(i + nodes_.size() - 1) % nodes_.size()].name : ""}});
  }
  nlohmann::json changes = nlohmann::json::array();
  for (const NodesChange& change : changes_)
    changes.push_back(
        {{"step", change.step}, {"age_s", seconds_since(change.at)}, {"joined", change.joined}, {"left", change.left}});
  const nlohmann::json copies{{"step", copies_.step},
                              {"age_s", copies_.step < 0 ? -1 : seconds_since(copies_.completed)},
                              {"bytes_sent", copies_.bytes_sent},
                              {"milliseconds", std::llround(copies_.seconds * 1e3)}};
  return nlohmann::json{{"nodes", nodes}, {"copies", copies}, {"changes", changes}}.dump();
}

std::string ask_for_nodes(const Address& driver, const std::string& certs) {
  const Deadline deadline(kStatusTimeout);
  const Role role = role_of(certs);
  const Credentials credentials(certs, role);
  TlsStream stream = TlsStream::dial(driver, credentials, Role::driver, deadline);
  say_hello(stream, make_hello(Purpose::status), deadline);
  return hear_status(stream, deadline);
}

}  // namespace troupe
