#include <map>
#include <set>

#include "actors/placements/cluster/begin_on_nodes.hpp"
#include "actors/placements/cluster/cluster.hpp"
#include "actors/placements/cluster/gathering.hpp"
#include "actors/placements/cluster/join_notice.hpp"
#include "actors/placements/cluster/mixed_arithmetic.hpp"
#include "actors/placements/host.hpp"
#include "runtime/log.hpp"
#include "runtime/net/certificates/expiry.hpp"
#include "runtime/printable.hpp"
#include "runtime/silence.hpp"

namespace troupe {
namespace {

constexpr std::chrono::milliseconds kLookForLate{200};

RunLimits limits_of(const Members& members) {
  const Topology& topology = members.topology();
  return {static_cast<std::size_t>(topology.num_shards), topology.node_of_lane.size(),
          static_cast<std::size_t>(members.num_nodes()) + 1};
}

class ClusterHost : public Host {
 public:
  explicit ClusterHost(const HostParts& parts)
      : options_(parts.hosting.cluster),
        optimizer_(parts.hosting.optimizer),
        verbose_(parts.hosting.verbose),
        limits_{parts.hosting.suspect_after, parts.hosting.cut_after},
        mailbox_(parts.mailbox),
        members_(parts.members),
        cluster_(parts.system, parts.mailbox.address(), parts.hosting, limits_of(members_), members_) {
    note_expiry(options_.certs);
  }

  void gather(int expected, const NeededCopies& needed, const Deadline& deadline) override {
    JoinNotice notice(options_.listen, options_.num_nodes, Clock::now());
    Gathering gathering(options_.min_nodes, options_.num_nodes, expected, needed);
    for (;;) {
      const std::vector<JoinedNode> nodes = cluster_.candidates();
      if (!gathering.needs_leavers(nodes)) cluster_.let_leavers_go(nodes);
      if (const auto chosen = gathering.choose(cluster_.candidates(), deadline.passed()); !chosen.empty()) {
        cluster_.complete_with(chosen);
        break;
      }
      say(notice.look(joined(), Clock::now()));
      const auto happening = mailbox_.next_happening(Deadline(std::min(deadline.left(), kLookForLate)));
      cluster_.drop_late();
      if (!happening && deadline.passed()) throw_late();
      if (!happening) continue;
      if (const auto* node = std::get_if<NodeArrival>(&*happening))
        if (cluster_.accept(*node)) mailbox_.watch(node->actor);
      if (const auto* gone = std::get_if<Departure>(&*happening)) cluster_.note_departure(gone->actor);
    }
    say(notice.end(joined()));
    for (const int member : members_.nodes()) mailbox_.seat(member, cluster_.node(members_.node_of(member)).actor);
    if (const std::string mixed = mixed_arithmetic(cluster_.nodes()); verbose_ && !mixed.empty())
      log_line(LogLevel::warning, mixed);
  }

  void start(int worker) override {
    mailbox_.send(members_.member_of_node(members_.node_of(worker)), caf::make_message(StartWorker{worker}));
  }
  bool is_expected(const WorkerArrival& arrival) override {
    return cluster_.is_home_of(arrival.join.worker, arrival.actor) && Host::is_expected(arrival);
  }

  std::string node(int member) const override { return cluster_.node(members_.node_of(member)).name; }
  int pid(int worker) const override { return cluster_.node(members_.node_of(worker)).join.pid; }
  std::string how_it_ended(int member, std::chrono::milliseconds /*timeout*/) override {
    const int node = members_.node_of(member);
    std::string how = cluster_.node(node).how_it_ended();
    if (members_.is_node(member)) return how;
    return members_.lost(members_.member_of_node(node)) ? "its node is gone: " + how : "";
  }
  std::string excuse(int member) const override {
    const ControlLink& link = *cluster_.node(members_.node_of(member)).link;
    if (link.refused()) return "";  // for what the node has sent
    const double stopped_for = std::chrono::duration<double>(link.stopped_lately()).count();
    return stopped_for > 0 ? "this process itself had been stopped for " + fixed_text(stopped_for, 1) + " s" : "";
  }
  std::optional<std::chrono::milliseconds> looks_every() const override { return Silence::kEvery; }
  std::vector<int> look_at(const std::vector<int>& members) override {
    std::set<int> nodes;
    for (const int member : members) nodes.insert(members_.node_of(member));
    for (const int node : nodes) look_at(cluster_.node(node), silences_.try_emplace(node, limits_).first->second);
    return {};
  }
  std::vector<std::string> newcomers() const override { return cluster_.newcomers(); }
  std::vector<int> leavers() const override { return cluster_.leavers(); }
  std::string certificate_of(int node) const override { return cluster_.node(node).link->name(); }
  void note_copies(const CopyTotals& totals) override { cluster_.note_copies(totals); }
  void note_changes(const std::vector<NodesChange>& changes) override { cluster_.note_changes(changes); }
  std::vector<OfferedCopy> copies_of(int node) const override { return cluster_.node(node).join.copies; }
  void cut_off(int node) override {
    if (node < members_.num_nodes()) cluster_.node(node).link->mute();
  }

  void note_end(int member) override {
    if (members_.is_node(member)) cluster_.note_loss(members_.node_of(member));
  }

  std::unique_ptr<StateHome> make_state_home(StoreClient& store, Rounds& rounds) override {
    return keep_state_in_nodes(cluster_, members_, rounds, store, optimizer_);
  }
  void begin_group(std::uint64_t run, std::uint64_t generation, Rounds& rounds, const Phase& phase) override {
    begin_group_on_nodes(cluster_, members_, run, generation, rounds, phase);
  }
  bool settles_by_fence() const override { return false; }
  /// Does nothing: each node ends its workers when it detects that its connection to the driver has ended.
  bool end_all(bool /*all_stopped*/) override { return true; }

 private:
  std::vector<std::string> joined() const {
    std::vector<std::string> names;
    for (const ClusterNode& node : cluster_.nodes()) names.push_back(node.name);
    return names;
  }
  static void say(const std::optional<std::string>& line) {
    if (line) log_line(LogLevel::info, *line);
  }

  /// Throws the error that too few nodes have joined in time.
  /// @throws Error timeout
  [[noreturn]] void throw_late() const {
    const bool all = options_.min_nodes == options_.num_nodes;
    throw Error(ErrorCode::timeout,
                std::to_string(options_.min_nodes - cluster_.joined()) + (all ? " of " : " of at least ") +
                    std::to_string(options_.min_nodes) + " nodes did not join in time at " + options_.listen,
                {.phase = "start"});
  }

  /// Checks for how long `node` has sent nothing. Logs a warning after the time `suspect_after`, and ends the
  /// connection to the node after `cut_after`.
  static void look_at(const ClusterNode& node, Silence& silence) {
    const Silence::Verdict verdict = silence.look(node.link->heard(), Clock::now());
    if (verdict == Silence::Verdict::suspect)
      log_line(LogLevel::warning, "node " + node.name + " shows " + silence.text(), {.node = node.name});
    if (verdict == Silence::Verdict::gone) node.link->refuse("it showed " + silence.text());
  }

  const ClusterOptions options_;
  std::string optimizer_;
  bool verbose_;
  const Silence::Limits limits_;
  std::map<int, Silence> silences_;  ///< by node
  DriverMailbox& mailbox_;
  Members& members_;
  Cluster cluster_;
};

}  // namespace

std::unique_ptr<Host> host_in_cluster(const HostParts& parts) { return std::make_unique<ClusterHost>(parts); }

}  // namespace troupe
