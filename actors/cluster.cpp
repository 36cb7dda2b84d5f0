#include "actors/cluster.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "runtime/cores.hpp"

namespace troupe {
namespace {

constexpr std::chrono::seconds kStatusTimeout{5};

std::string text_of(const Token& token) { return {reinterpret_cast<const char*>(token.data()), token.size()}; }

std::shared_ptr<const Credentials> check(const ClusterOptions& options) {
  if (options.certs.empty())
    throw Error(ErrorCode::bad_certificate,
                "a cluster needs certificates, and listens to no network without them: make them with `troupe certs "
                "init DIR`, and give DIR/driver");
  return std::make_shared<const Credentials>(options.certs, Role::driver);
}

}  // namespace

Cluster::Cluster(caf::actor_system& system, const caf::actor& driver, const ClusterOptions& options, int num_workers)
    : options_(options), num_workers_(num_workers), credentials_(check(options)), data_plane_(credentials_, 1) {
  // Nobody joins before there is a listener, which is made last: CAF does not free one that ends at once.
  const std::lock_guard lock(mutex_);
  gate_ = std::make_unique<Gate>(
      Address::parse(options.listen, 1), credentials_,
      [this](const Hello& hello, const TlsStream& stream) { return admit(hello, stream); },
      [this](const Hello& hello, TlsStream stream) { take(hello, std::move(stream)); });
  listener_.emplace(system, driver);
}

Cluster::~Cluster() = default;

std::string Cluster::admit(const Hello& hello, const TlsStream& stream) {
  if (hello.purpose == Purpose::status) return "";
  if (hello.purpose == Purpose::data) return data_plane_.admit(hello, stream);
  if (stream.peer_role() != Role::node) return "only a node may join";
  const std::lock_guard lock(mutex_);
  if (!listener_) return "the run did not begin";
  if (complete_) return "the run has all its nodes";
  const std::string token = text_of(hello.token);
  const auto known = [&](const Pending& each) { return each.token == token; };
  if (std::any_of(pending_.begin(), pending_.end(), known)) return "this join has been seen before";
  const auto is_here = [](const Pending& each) { return each.link->open.load(); };
  if (std::count_if(pending_.begin(), pending_.end(), is_here) >= options_.num_nodes)
    return "the run has all its nodes";
  return "";
}

void Cluster::take(const Hello& hello, TlsStream stream) {
  if (hello.purpose == Purpose::status) return give_status(stream);
  if (hello.purpose == Purpose::data) return data_plane_.take(hello, std::move(stream));
  auto link = std::make_shared<ControlLink>();
  link->name = stream.peer_name();
  link->address = stream.peer_address();
  {
    const std::lock_guard lock(mutex_);
    std::erase_if(pending_, [](const Pending& each) { return !each.link->open; });
    pending_.push_back({text_of(hello.token), link});
  }
  listener_->hand_over(std::move(stream), std::move(link));
}

bool Cluster::accept(const NodeJoined& joined) {
  const NodeJoin& join = joined.join;
  const std::lock_guard lock(mutex_);
  const auto known =
      std::find_if(pending_.begin(), pending_.end(), [&](const Pending& each) { return each.token == join.token; });
  if (complete_ || known == pending_.end() || !joined.node) return false;
  const bool twice =
      std::any_of(nodes_.begin(), nodes_.end(), [&](const ClusterNode& node) { return node.link == known->link; });
  if (twice) return false;
  if (join.protocol != kProtocolVersion)
    throw Error(ErrorCode::protocol,
                "a node speaks protocol " + std::to_string(join.protocol) + ", not " + std::to_string(kProtocolVersion),
                {.node = known->link->name, .phase = "start"});
  nodes_.push_back({joined.node, known->link->name, join, known->link, false});
  if (static_cast<int>(nodes_.size()) == options_.num_nodes) admit_nobody_else();
  return true;
}

void Cluster::admit_nobody_else() {
  complete_ = true;
  const auto key = [](const ClusterNode& node) { return std::tie(node.name, node.link->address); };
  std::sort(nodes_.begin(), nodes_.end(), [&](const auto& a, const auto& b) { return key(a) < key(b); });
  for (ClusterNode& node : nodes_) {
    const auto same = [&](const ClusterNode& other) { return other.link->name == node.link->name; };
    if (std::count_if(nodes_.begin(), nodes_.end(), same) > 1) node.name += " at " + node.link->address;
  }
}

bool Cluster::note_end(const caf::actor_addr& actor) {
  const std::lock_guard lock(mutex_);
  const auto found = std::find_if(nodes_.begin(), nodes_.end(),
                                  [&](const ClusterNode& node) { return node.actor.address() == actor; });
  if (found == nodes_.end()) return false;
  if (complete_) {
    found->lost = true;
  } else {
    nodes_.erase(found);  // another may take its place
  }
  return true;
}

std::vector<NodePeer> Cluster::peers() const {
  std::vector<NodePeer> peers;
  for (const ClusterNode& node : nodes_) peers.push_back({node.link->name, node.name, node.join.host, node.join.port});
  Address own = gate_->address();
  peers.push_back({credentials_->name(), "", own.host, own.port});
  return peers;
}

void Cluster::give_status(TlsStream& stream) const {
  nlohmann::json nodes = nlohmann::json::array();
  {
    const std::lock_guard lock(mutex_);
    std::vector<int> workers(nodes_.size());
    for (int worker = 0; complete_ && worker < num_workers_; ++worker)
      ++workers[static_cast<std::size_t>(node_of_worker(worker))];
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      const ClusterNode& node = nodes_[i];
      const char* state = node.lost ? "lost" : complete_ ? "serving" : "joined";
      nodes.push_back({{"node", node.name},
                       {"address", node.link->address},
                       {"cores", node.join.cores},
                       {"devices", node.join.devices},
                       {"workers", workers[i]},
                       {"state", state},
                       {"round_trip_us", node.link->round_trip_us.load()}});
    }
  }
  const Deadline deadline(std::chrono::milliseconds(500));  // it fits a socket's buffer
  try {
    stream.write_all(encode_status(nodes.dump()), deadline);
  } catch (const Error&) {
    return;  // whoever asked has gone
  }
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
