#include "mutation/nodes_here.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <future>
#include <tuple>

#include "actors/messages/options_json.hpp"
#include "actors/node/node_service.hpp"
#include "actors/placements/cluster/begin_on_nodes.hpp"
#include "actors/placements/cluster/join_check.hpp"
#include "actors/schedules/as_request.hpp"
#include "actors/transport/system.hpp"
#include "mutation/mutations.hpp"
#include "runtime/arithmetic.hpp"
#include "runtime/trial_authority.hpp"

namespace troupe_test {

using namespace troupe;

namespace {

constexpr std::size_t kNodeStore = std::size_t{64} << 20;

/// Returns an actor system that exists until the process ends, because hanging parts of a run may still use it.
caf::actor_system& names() {
  static auto& config = *new SystemConfig(1, Reach::threads);  // NOLINT(cppcoreguidelines-owning-memory)
  static auto& system = *new caf::actor_system(config);        // NOLINT(cppcoreguidelines-owning-memory)
  return system;
}

/// The state shared by a node's workers. An abandoned function may outlive its run. It keeps the node alive as long as
/// it has the node's group. A real node's process would end instead.
class ShareHere : public NodeShare {
 public:
  explicit ShareHere(std::shared_ptr<NodeHere> home) : home_(std::move(home)) {}

  std::shared_ptr<NodeExchange> exchange() const override { return home_->service.exchange(); }
  std::shared_ptr<ServerExchange> server_exchange() const override { return home_->service.server_exchange(); }
  void check_alike(const SlabLayout& layout, const PlanRequest& plan, std::size_t learned_size) const override {
    home_->service.check_alike(layout, plan, learned_size);
  }
  std::shared_ptr<NodeGroup> group() const override {
    struct Held {
      std::shared_ptr<NodeHere> home;
      std::shared_ptr<NodeGroup> group;  // destroyed first
    };
    auto held = std::make_shared<Held>(Held{home_, home_->service.group()});
    NodeGroup* const group = held->group.get();
    return group == nullptr ? nullptr : std::shared_ptr<NodeGroup>(std::move(held), group);
  }

 private:
  const std::shared_ptr<NodeHere> home_;
};

}  // namespace

NodeCopies CopiesHere::of_node(int number) {
  const std::lock_guard lock(mutex_);
  const auto [files, is_new] = files_.try_emplace(number);
  if (is_new) files->second = NodeCopies::make_files();
  return NodeCopies({duplicate(files->second[0].get()), duplicate(files->second[1].get())});
}

NodeHere::NodeHere(int number, const Address& driver, NodeCopies copies)
    : name("node" + std::to_string(number)),
      store(kNodeStore),
      service(store, trial_authority().node(number), driver, 1, std::make_shared<net::RefusalLog>(), std::move(copies)),
      gate(
          {"127.0.0.1", 0}, trial_authority().node(number),
          [this](const Hello& hello, const TlsStream& stream) { return service.data_plane().admit(hello, stream); },
          [this](const Hello& hello, TlsStream stream) { service.data_plane().take(hello, std::move(stream)); }) {
  join.token.assign(kTokenBytes, 't');
  join.pid = ::getpid();
  join.cores = 1;
  join.host = "127.0.0.1";
  join.port = gate.address().port;
  join.arithmetic = arithmetic();
}

NodesHere::NodesHere(std::shared_ptr<Wire> wire, CopiesHere& copies, int nodes)
    : wire_(std::move(wire)), line_(new Line{{}, this}), data_plane_(trial_authority().driver(), 1) {
  gate_ = std::make_unique<Gate>(
      Address{"127.0.0.1", 0}, trial_authority().driver(),
      [this](const Hello& hello, const TlsStream& stream) { return data_plane_.admit(hello, stream); },
      [this](const Hello& hello, TlsStream stream) { data_plane_.take(hello, std::move(stream)); });
  for (int number = 0; number < nodes; ++number) {
    NodeCopies kept = copies.of_node(number);
    const std::vector<OfferedCopy> offers = kept.offers();
    nodes_.push_back(std::make_shared<NodeHere>(number, gate_->address(), std::move(kept)));
    nodes_.back()->join.copies = offers;
  }
}

NodesHere::~NodesHere() {
  {
    const std::lock_guard lock(line_->mutex);
    line_->nodes = nullptr;
  }
  std::vector<std::unique_ptr<Party>> parties;
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
    parties.swap(parties_);
  }
  gate_.reset();
  data_plane_.end();
  for (const auto& node : nodes_) node->service.data_plane().end();
  parties.clear();
  workers_.clear();
  for (const caf::actor& actor : actors_) caf::anon_send_exit(actor, caf::exit_reason::user_shutdown);
}

void NodesHere::attach(const Members& members) {
  members_ = &members;
  const Topology& topology = members.topology();
  limits_ = {static_cast<std::size_t>(topology.num_shards), topology.node_of_lane.size(), nodes_.size() + 1};
}

void NodesHere::gather() {
  for (int number = 0; number < std::ssize(nodes_); ++number) {
    NodeHere& node = *nodes_[static_cast<std::size_t>(number)];
    const int member = members_->member_of_node(number);
    const caf::message said = wire_->pass(Direction::to_driver, member, caf::make_message(node.join));
    const std::string token = node.join.token;
    node.join = said.get_as<NodeJoin>(0);
    const std::string problem = node.join.token != token      ? "its join does not match its hello"
                                : !is_admitted(said, limits_) ? "its join is malformed"
                                                              : join_problem(node.join, "127.0.0.1");
    if (!problem.empty())
      throw Error(ErrorCode::timeout, "a node did not join in time: " + problem, {.phase = "start"});
    const int party = add_party({number, member}, [&](int own) {
      return [this, own, number](const caf::message& request) { carry_out(own, number, request); };
    });
    seat(member, actors_[static_cast<std::size_t>(party)]);
  }
}

/// Returns the party's number, or a negative number if the run ends.
int NodesHere::add_party(const Place& place, const std::function<Party::CarryOut(int party)>& make) {
  before_send();
  // The argument is needed because CAF reads through a null pointer if there is none.
  const caf::actor name = names().spawn(
      [](caf::event_based_actor* /*self*/, int /*any*/) -> caf::behavior {
        after_receive();
        return {[](int) {}};
      },
      0);
  const std::lock_guard lock(mutex_);
  const int number = static_cast<int>(places_.size());
  actors_.push_back(name);
  places_.push_back(place);
  parties_.push_back(ends_ ? nullptr : std::make_unique<Party>(make(number)));
  return number;
}

void NodesHere::start_worker(int worker) {
  send(members_->member_of_node(members_->node_of(worker)), caf::make_message(StartWorker{worker}));
}

/// Runs on the node's thread.
void NodesHere::begin_worker(int node, int index) {
  const auto& home = nodes_[static_cast<std::size_t>(node)];
  const auto share = std::make_shared<ShareHere>(home);
  const auto worker = std::make_shared<Worker>(index, home->store.connect(), CreateModel(), share);
  {
    const std::lock_guard lock(mutex_);
    if (ends_) return;
    workers_.push_back(worker);
  }
  const int party = add_party({node, index}, [&](int own) {
    return [this, own, it = worker.get()](const caf::message& request) { carry_out(own, *it, request); };
  });
  say(party, caf::make_message(Join{kProtocolVersion, index, static_cast<std::int32_t>(::getpid())}));
}

void NodesHere::carry_out(int party, int node, const caf::message& request) {
  as_request(
      request,
      [&]<class Request>(const Request& what) {
        if constexpr (std::is_same_v<Request, StartWorker>)
          begin_worker(node, what.worker);
        else
          say(party, caf::make_message(reply_of(nodes_[static_cast<std::size_t>(node)]->service, what)));
      },
      static_cast<ToNode*>(nullptr));
}

void NodesHere::carry_out(int party, Worker& worker, const caf::message& request) {
  as_request(
      request,
      [&](const auto& what) {
        worker.carry_out(what, [line = line_, party](auto reply) {
          const std::shared_lock lock(line->mutex);
          if (line->nodes != nullptr) line->nodes->say(party, caf::make_message(std::move(reply)));
        });
      },
      static_cast<ToWorker*>(nullptr));
}

void NodesHere::say(int party, caf::message message) {
  Place from;
  {
    const std::lock_guard lock(mutex_);
    if (ends_) return;
    from = places_[static_cast<std::size_t>(party)];
  }
  message = wire_->pass(Direction::to_driver, from.member, std::move(message));
  if (!is_admitted(message, limits_)) return cut(from.node, "a malformed message");
  const std::lock_guard lock(mutex_);
  if (nodes_[static_cast<std::size_t>(from.node)]->end.empty()) said_.push_back({party, std::move(message)});
  changed_.notify_all();
}

void NodesHere::cut(int node, const std::string& why) {
  const std::lock_guard lock(mutex_);
  std::string& end = nodes_[static_cast<std::size_t>(node)]->end;
  if (!end.empty()) return;
  end = why;
  for (int party = 0; party < std::ssize(places_); ++party)
    if (places_[static_cast<std::size_t>(party)].node == node) said_.push_back({party, {}});
  changed_.notify_all();
}

int NodesHere::party_of(const caf::actor& actor) const {
  const std::lock_guard lock(mutex_);
  return static_cast<int>(std::ranges::find(actors_, actor) - actors_.begin());
}

bool NodesHere::is_home_of(int worker, const caf::actor& actor) {
  const int party = party_of(actor);
  int node = 0;
  {
    const std::lock_guard lock(mutex_);
    node = places_.at(static_cast<std::size_t>(party)).node;
  }
  if (node == members_->node_of(worker)) return true;
  cut(node, "its worker joins as another node's");
  return false;
}

void NodesHere::seat(int member, const caf::actor& actor) {
  const int party = party_of(actor);
  const std::lock_guard lock(mutex_);
  layout_[member] = party;
}

void NodesHere::unseat(int member) {
  const std::lock_guard lock(mutex_);
  layout_.erase(member);
}

void NodesHere::send(int member, const caf::message& message) {
  const caf::message passed = wire_->pass(Direction::to_member, member, message);
  std::size_t party = 0;
  int node = 0;
  {
    const std::lock_guard lock(mutex_);
    party = static_cast<std::size_t>(layout_.at(member));
    node = places_.at(party).node;
  }
  if (!is_admitted(passed, limits_)) return cut(node, "a malformed message");
  const std::lock_guard lock(mutex_);
  if (nodes_[static_cast<std::size_t>(node)]->end.empty()) parties_[party]->post(passed);
}

std::vector<PeerNode> NodesHere::peers() const {
  std::vector<PeerNode> peers;
  for (const auto& node : nodes_)
    peers.push_back({node->name, {node->join.host, node->join.port}, Role::node, node->name});
  peers.push_back({"driver", gate_->address(), Role::driver, ""});
  return peers;
}

std::optional<Happening> NodesHere::hear(const Deadline& deadline) {
  for (;;) {
    std::unique_lock lock(mutex_);
    if (!changed_.wait_until(lock, deadline.at(), [this] { return !said_.empty(); })) return std::nullopt;
    Said next = std::move(said_.front());
    said_.pop_front();
    lock.unlock();
    if (auto happening = heard(std::move(next))) return happening;
  }
}

/// Like `DriverMailbox`, drops messages of unknown senders.
std::optional<Happening> NodesHere::heard(Said said) {
  const std::lock_guard lock(mutex_);
  const auto seat = std::ranges::find_if(layout_, [&](const auto& each) { return each.second == said.party; });
  const caf::actor& actor = actors_[static_cast<std::size_t>(said.party)];
  std::optional<Happening> happening;
  if (said.content.empty() && seat == layout_.end())
    happening.emplace(Departure{actor.address()});
  else if (said.content.empty())
    happening.emplace(Ended{seat->first});
  else if (seat != layout_.end())
    happening.emplace(Answer{seat->first, std::move(said.content)});
  else if (said.content.match_elements<Join>())
    happening.emplace(WorkerArrival{said.content.get_as<Join>(0), actor});
  return happening;
}

namespace {

/// Does the same as `ClusterHost`.
class HostHere : public Host {
 public:
  HostHere(NodesHere& nodes, Members& members, std::string optimizer)
      : nodes_(nodes), members_(members), optimizer_(std::move(optimizer)) {}

  void gather(int /*expected*/, const NeededCopies& /*needed*/, const Deadline& /*deadline*/) override {
    nodes_.gather();
  }
  void start(int worker) override { nodes_.start_worker(worker); }
  bool is_expected(const WorkerArrival& arrival) override {
    return nodes_.is_home_of(arrival.join.worker, arrival.actor) && Host::is_expected(arrival);
  }
  std::string node(int member) const override { return nodes_.node(members_.node_of(member)).name; }
  int pid(int worker) const override { return nodes_.node(members_.node_of(worker)).join.pid; }
  std::string how_it_ended(int member, std::chrono::milliseconds /*timeout*/) override {
    const int node = members_.node_of(member);
    const std::string how = "its connection was ended, because " + nodes_.node(node).end;
    if (members_.is_node(member)) return how;
    return members_.lost(members_.member_of_node(node)) ? "its node is gone: " + how : "";
  }
  std::string certificate_of(int node) const override { return nodes_.node(node).name; }
  std::vector<OfferedCopy> copies_of(int node) const override { return nodes_.node(node).join.copies; }
  void cut_off(int node) override { nodes_.cut(node, "it was cut off"); }
  std::unique_ptr<StateHome> make_state_home(StoreClient& store, Rounds& rounds) override {
    return keep_state_in_nodes(nodes_, members_, rounds, store, optimizer_);
  }
  void begin_group(std::uint64_t run, std::uint64_t generation, Rounds& rounds, const Phase& phase) override {
    begin_group_on_nodes(nodes_, members_, run, generation, rounds, phase);
  }
  bool settles_by_fence() const override { return false; }
  bool end_all(bool /*all_stopped*/) override { return true; }

 private:
  NodesHere& nodes_;
  Members& members_;
  std::string optimizer_;
};

constexpr std::chrono::seconds kUntilItHangs{20};

/// A node of a real run is a process, which ends with its run even if a part of it hangs. Here hanging parts are
/// abandoned.
void end_in_time(std::unique_ptr<NodesHere> nodes) {
  const std::shared_ptr<Wire> wire = nodes->wire();
  auto ended = std::make_shared<std::promise<void>>();
  auto end = ended->get_future();
  std::thread([ended, gone = std::move(nodes)]() mutable {
    gone.reset();
    ended->set_value();
  }).detach();
  if (end.wait_for(kUntilItHangs) == std::future_status::timeout) wire->note_hanging();
}

class RuntimeHere : public Runtime {
 public:
  RuntimeHere(std::unique_ptr<NodesHere> nodes, const Hosting& hosting, int num_workers)
      : Runtime(*nodes,
                Members(num_workers, hosting.devices_per_worker, hosting.cluster.num_nodes, hosting.num_shards)),
        optimizer_(hosting.optimizer),
        nodes_(std::move(nodes)),
        client_(store_.connect()) {
    nodes_->attach(members);
  }
  ~RuntimeHere() override {
    host.reset();
    end_in_time(std::move(nodes_));
  }

  std::unique_ptr<Host> make_host(const CreateModel& /*creator*/) override {
    return std::make_unique<HostHere>(*nodes_, members, optimizer_);
  }
  std::unique_ptr<StateHome> make_state_home(Rounds& rounds) override {
    return host->make_state_home(*client_, rounds);
  }

 private:
  const std::string optimizer_;
  ObjectStore store_{kNodeStore};
  std::unique_ptr<NodesHere> nodes_;
  std::unique_ptr<StoreClient> client_;
};

}  // namespace

MakeRuntime nodes_here(std::shared_ptr<Wire> wire) {
  return [wire = std::move(wire), copies = std::make_shared<CopiesHere>()](const Hosting& hosting, int num_workers) {
    return std::make_unique<RuntimeHere>(std::make_unique<NodesHere>(wire, *copies, hosting.cluster.num_nodes), hosting,
                                         num_workers);
  };
}

}  // namespace troupe_test
