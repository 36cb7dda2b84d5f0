#include "actors/schedules/cluster_world.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace troupe_test {

using namespace troupe;
using std::chrono::milliseconds;

/// Does the same as `ClusterHost`.
class ClusterWorld::SimulatedHost : public Host {
 public:
  SimulatedHost(ClusterWorld& world, const Hosting& hosting)
      : world_(world), least_(hosting.cluster.min_nodes), most_(hosting.cluster.num_nodes) {}

  void gather(int expected, const NeededCopies& needed, const Deadline& deadline) override {
    world_.gather(Gathering(least_, most_, expected, needed), deadline);
  }
  std::vector<std::string> newcomers() const override { return world_.newcomers(most_); }
  std::vector<int> leavers() const override { return world_.leavers(); }
  void start(int worker) override { world_.start(worker); }
  int pid(int worker) const override { return world_.run_->members->node_of(worker); }
  std::string node(int member) const override { return certificate_of(world_.run_->members->node_of(member)); }
  std::string how_it_ended(int member, milliseconds /*timeout*/) override {
    const Members& members = *world_.run_->members;
    const bool lost = members.lost(members.member_of_node(members.node_of(member)));
    return members.is_node(member) || lost ? "its connection broke" : "";
  }
  std::string certificate_of(int node) const override {
    return world_.run_->processes[static_cast<std::size_t>(node)].machine.name;
  }
  std::vector<OfferedCopy> copies_of(int node) const override {
    return world_.run_->processes[static_cast<std::size_t>(node)].offers;
  }
  std::unique_ptr<StateHome> make_state_home(StoreClient& /*store*/, Rounds& /*rounds*/) override { return nullptr; }
  bool settles_by_fence() const override { return false; }
  bool end_all(bool /*all_stopped*/) override { return true; }

 private:
  ClusterWorld& world_;
  int least_;
  int most_;
};

class ClusterWorld::SimulatedRuntime : public Runtime {
 public:
  SimulatedRuntime(ClusterWorld& world, const Hosting& hosting, int num_workers)
      : Runtime(world, Members(num_workers, hosting.devices_per_worker, hosting.cluster.num_nodes, hosting.num_shards)),
        world_(world),
        hosting_(hosting) {
    if (world_.run_) throw Violation("a run begins before the one before it has ended");
    ++world_.runs_;
    world_.run_.emplace();
    world_.run_->members = &members;
  }
  ~SimulatedRuntime() override { world_.end_run(); }

  std::unique_ptr<Host> make_host(const CreateModel& /*creator*/) override {
    return std::make_unique<SimulatedHost>(world_, hosting_);
  }
  std::unique_ptr<StateHome> make_state_home(Rounds& /*rounds*/) override {
    return std::make_unique<MemoryHome>(world_.run_->memory, world_.time_.chance);
  }

 private:
  ClusterWorld& world_;
  const Hosting hosting_;
};

ClusterWorld::ClusterWorld(std::uint64_t seed, const Toy& toy, int machines, std::ostream* trace)
    : time_(seed, trace), toy_(toy), ghost_until_(time_.now()) {
  for (int i = 0; i < machines; ++i) machines_.push_back({std::string(1, static_cast<char>('a' + i))});
}

std::unique_ptr<Runtime> ClusterWorld::make_runtime(const Hosting& hosting, int num_workers) {
  return std::make_unique<SimulatedRuntime>(*this, hosting, num_workers);
}

std::vector<OfferedCopy> ClusterWorld::offers_of(const Machine& machine) {
  std::vector<OfferedCopy> offers;
  for (const SimulatedCopy& copy : machine.copies)
    if (copy.complete) offers.push_back({copy.run, copy.number, copy.holder});
  return offers;
}

bool ClusterWorld::takes_part(const Machine& machine) const {
  return run_ && std::ranges::any_of(run_->processes, [&](const Process& each) { return &each.machine == &machine; });
}

void ClusterWorld::gather(Gathering gathering, const Deadline& deadline) {
  std::vector<Machine*> joined;
  for (;;) {
    time_.check_call();
    join(joined);
    const auto nodes = [&] {
      std::vector<JoinedNode> all;
      for (const Machine* each : joined) all.push_back({each->name, offers_of(*each), each->leaves});
      return all;
    };
    if (!gathering.needs_leavers(nodes())) let_leavers_go(joined);
    if (const auto chosen = gathering.choose(nodes(), deadline.passed()); !chosen.empty()) {
      std::vector<Machine*> machines;
      for (const std::size_t each : chosen) machines.push_back(joined[each]);
      return complete(machines);
    }
    if (deadline.passed()) throw Error(ErrorCode::timeout, "nodes did not join in time", {.phase = "start"});
    time_.wait(milliseconds(50));
  }
}

void ClusterWorld::let_leavers_go(std::vector<Machine*>& joined) {
  const bool had_state = has_state(joined) && copied_ && !state_may_be_lost();
  for (Machine* const each : joined)
    if (each->leaves) leave(*each);
  std::erase_if(joined, [](Machine* each) { return std::exchange(each->leaves, false); });
  if (had_state && !has_state(joined)) throw Violation("nodes are let go with the only copies of the state");
}

/// Ends the processes of a machine. Its memory is freed.
void ClusterWorld::leave(Machine& machine) {
  time_.tell("node " + machine.name + " has left");
  ++tally.left;
  note_memory_lost();
  machine.copies = {};
  machine.ready = time_.now() + std::chrono::seconds(20 + time_.chance.below(20));
}

/// Returns whether these machines keep all parts of a copy.
bool ClusterWorld::has_state(const std::vector<Machine*>& machines) {
  std::map<std::uint64_t, std::vector<char>> parts;  // by number of the copy: for each float, whether it is kept
  for (const Machine* machine : machines)
    for (const SimulatedCopy& copy : machine->copies) {
      if (!copy.complete) continue;
      auto& kept = parts.try_emplace(copy.number, copy.weights.size()).first->second;
      for (const Range& slices : {copy.own_slices, copy.kept_slices})
        if (!slices.empty())
          std::fill(kept.begin() + static_cast<std::ptrdiff_t>(slices.begin),
                    kept.begin() + static_cast<std::ptrdiff_t>(slices.end), 1);
    }
  return std::ranges::any_of(parts, [](const auto& each) { return std::ranges::count(each.second, 0) == 0; });
}

void ClusterWorld::join(std::vector<Machine*>& joined) {
  for (Machine& machine : machines_) {
    const auto place = std::ranges::find(joined, &machine);
    if (place != joined.end() && time_.chance.per_mille(dangers.stillborn)) {
      time_.tell("node " + machine.name + " dies before the run begins");
      ++tally.stillborn;
      joined.erase(place);
      machine.ready = time_.now() + milliseconds(50 + time_.chance.below(450));
    } else if (place == joined.end() && machine.ready <= time_.now()) {
      joined.push_back(&machine);
    } else if (place != joined.end() && time_.chance.per_mille(dangers.leave)) {
      machine.leaves = true;
    }
  }
}

void ClusterWorld::complete(const std::vector<Machine*>& joined) {
  Run& run = *run_;
  run.members->deal_to_nodes(std::vector<int>(joined.size(), 1), static_cast<int>(joined.size()));
  copied_by_ = std::min(copied_by_, joined.size());
  std::string names;
  run.nodes.resize(joined.size());
  for (Machine& machine : machines_) {
    if (std::ranges::count(joined, &machine) == 0) continue;
    const int node = static_cast<int>(run.processes.size());
    run.processes.emplace_back(machine, run.memory, run.nodes, time_.chance);
    run.processes.back().node.number(node);
    run.nodes[static_cast<std::size_t>(node)] = &run.processes.back().node;
    run.memory.without_weights.insert(node);
    const int member = run.members->member_of_node(node);
    const std::size_t actor = add_actor(node, member);
    run.layout[member] = actor;
    run.actors[actor].seated = true;
    names += " " + machine.name;
  }
  time_.tell("run " + std::to_string(runs_) + " begins with the nodes" + names);
}

std::size_t ClusterWorld::add_actor(int node, int member) {
  run_->actors.push_back({node, member});
  return run_->actors.size() - 1;
}

void ClusterWorld::start(int worker) {
  const int node = run_->members->node_of(worker);
  if (!run_->processes[static_cast<std::size_t>(node)].alive) return;
  const std::size_t actor = add_actor(node, worker);
  run_->actors[actor].worker.emplace(worker, toy_, run_->memory);
  if (!time_.chance.per_mille(dangers.mute)) return add(time_.some_time(dangers.late), Kind::arrive, actor);
  ++tally.mute;
}

void ClusterWorld::end_run() {
  for (int node = 0; node < std::ssize(run_->processes); ++node) {
    Process& each = run_->processes[static_cast<std::size_t>(node)];
    if (each.alive) each.machine.ready = time_.now() + milliseconds(50 + time_.chance.below(450));
  }
  time_.tell("run " + std::to_string(runs_) + " has ended");
  run_.reset();
}

std::vector<std::string> ClusterWorld::newcomers(int most) const {
  if (std::ssize(run_->processes) >= most) return {};
  std::vector<std::string> names;
  for (const Machine& machine : machines_)
    if (machine.ready <= time_.now() && !takes_part(machine) && !machine.leaves) names.push_back(machine.name);
  if (ghost_until_ > time_.now()) names.emplace_back("ghost");
  return names;
}

std::vector<int> ClusterWorld::leavers() const {
  std::vector<int> nodes;
  for (int node = 0; node < std::ssize(run_->processes); ++node)
    if (run_->processes[static_cast<std::size_t>(node)].machine.leaves) nodes.push_back(node);
  return nodes;
}

std::optional<int> ClusterWorld::any_node() {
  if (!run_ || run_->processes.empty()) return std::nullopt;
  const int node = time_.chance.below(static_cast<int>(run_->processes.size()));
  if (!run_->processes[static_cast<std::size_t>(node)].alive) return std::nullopt;
  return node;
}

void ClusterWorld::kill(int count) {
  for (; count > 0; --count)
    if (const auto node = any_node()) die(*node);
}

void ClusterWorld::wipe() {
  const auto node = any_node();
  if (!node) return;
  Machine& machine = run_->processes[static_cast<std::size_t>(*node)].machine;
  time_.tell("the machine of node " + machine.name + " is lost");
  ++tally.wiped;
  note_memory_lost();
  die(*node);
  machine.copies = {};
  machine.ready = time_.now() + milliseconds(time_.chance.below(2) == 0 ? 500 : 60'000);
}

void ClusterWorld::let_leave() {
  Machine& machine = machines_[static_cast<std::size_t>(time_.chance.below(static_cast<int>(machines_.size())))];
  if (!takes_part(machine) && offers_of(machine).empty()) return;
  time_.tell("node " + machine.name + " wants to leave");
  machine.leaves = true;
}

void ClusterWorld::let_all_return() {
  for (Machine& machine : machines_)
    if (machine.ready > time_.now() && !takes_part(machine)) {
      machine.ready = time_.now();
      ++tally.joined;
    }
}

void ClusterWorld::note_copy() {
  ++tally.copies;
  memories_lost_ = 0;
  copied_ = true;
  copied_by_ = run_->processes.size();
}

/// Each part of a copy is on two nodes, unless there was only one.
void ClusterWorld::note_memory_lost() { memories_lost_ += copied_by_ > 1 ? 1 : 2; }

void ClusterWorld::let_lie() {
  lied_ = true;
  machines_[static_cast<std::size_t>(time_.chance.below(static_cast<int>(machines_.size())))].lies = true;
  ++tally.lies;
}

const Floats& ClusterWorld::vector(std::size_t vector) const {
  return run_->memory.slabs->vectors.at(vector).at(static_cast<std::size_t>(run_->applied));
}

void ClusterWorld::seat(int member, const caf::actor& /*actor*/) {
  const auto newest = std::ranges::find_if(run_->actors.rbegin(), run_->actors.rend(),
                                           [&](const Actor& each) { return each.member == member; });
  if (newest == run_->actors.rend()) throw Violation("a worker is seated before it has arrived");
  newest->seated = true;
  const auto actor = static_cast<std::size_t>(run_->actors.rend() - newest) - 1;
  run_->layout[member] = actor;
  if (!process(*newest).alive) add(time_.soon(), Kind::end, actor);
}

void ClusterWorld::unseat(int member) {
  const auto seat = run_->layout.find(member);
  if (seat == run_->layout.end()) return;
  run_->actors[seat->second].seated = false;
  run_->layout.erase(seat);
}

void ClusterWorld::send(int member, const caf::message& message) {
  const auto seat = run_->layout.find(member);
  if (seat == run_->layout.end())
    throw Violation("a message to member " + std::to_string(member) + ", who has no seat");
  Actor& to = run_->actors[seat->second];
  if (time_.has_trace()) time_.tell("to member " + std::to_string(member) + ": " + text_of(message));
  if (message.match_elements<Apply>()) run_->applied = message.get_as<Apply>(0).to;
  if (!process(to).alive) return;
  to.inbox.push_back(message);
  if (to.inbox.size() == 1) add(time_.soon(), Kind::work, seat->second);
}

std::optional<Happening> ClusterWorld::hear(const Deadline& deadline) {
  return time_.hear(deadline, [this](Event event) { return happen(std::move(event)); });
}

void ClusterWorld::pass(Clock::duration time) {
  time_.pass(
      time, [](const Event& event) { return event.kind == Kind::work; },
      [this](Event event) { happen(std::move(event)); });
}

void ClusterWorld::add(Clock::duration from_now, Kind kind, std::size_t actor, caf::message content) {
  time_.add(from_now, {{}, runs_, kind, actor, std::move(content)});
}

std::optional<Happening> ClusterWorld::happen(Event event) {
  if (!run_ || event.run != runs_) return std::nullopt;
  const Actor& actor = run_->actors[event.actor];
  if (event.kind == Kind::work) work(event.actor);
  if (event.kind == Kind::work) return std::nullopt;
  if (event.kind == Kind::arrive) return WorkerArrival{{kProtocolVersion, actor.member, actor.node}, {}};
  if (!actor.seated) return std::nullopt;
  if (event.kind == Kind::reply) {
    if (time_.has_trace()) time_.tell("from member " + std::to_string(actor.member) + ": " + text_of(event.content));
    return Answer{actor.member, std::move(event.content)};
  }
  time_.tell("the end of member " + std::to_string(actor.member) + " is seen");
  return Ended{actor.member};
}

ClusterWorld::Fate ClusterWorld::draw_fate(const Actor& actor) {
  if (time_.chance.per_mille(dangers.die))
    return std::array{Fate::die_before, Fate::die_within,
                      Fate::die_after}[static_cast<std::size_t>(time_.chance.below(3))];
  if (time_.chance.per_mille(dangers.hang)) return Fate::hang;
  if (!actor.paused && time_.chance.per_mille(dangers.pause)) return Fate::pause;
  if (time_.chance.per_mille(dangers.fail)) return Fate::fail;
  return Fate::obey;
}

void ClusterWorld::work(std::size_t number) {
  Actor& actor = run_->actors[number];
  if (!process(actor).alive || actor.hangs) return;
  const Fate fate = draw_fate(actor);
  if (fate == Fate::die_before) return die(actor.node);
  if (fate == Fate::hang) {
    time_.tell("member " + std::to_string(actor.member) + " hangs");
    ++tally.hangs;
    actor.hangs = true;
    return;
  }
  actor.paused = fate == Fate::pause;
  if (fate == Fate::pause) {
    ++tally.pauses;
    return add(milliseconds(time_.chance.below(4000)), Kind::work, number);
  }
  auto reply = carry_out(actor, actor.inbox.front(), fate);
  actor.inbox.pop_front();
  if (fate == Fate::die_within) return die(actor.node);
  if (reply) add(time_.some_time(dangers.late), Kind::reply, number, std::move(*reply));
  if (fate == Fate::die_after) return die(actor.node);
  if (!actor.inbox.empty()) add(time_.soon(), Kind::work, number);
}

std::optional<caf::message> ClusterWorld::carry_out(Actor& actor, const caf::message& request, Fate fate) {
  Process& home = process(actor);
  const bool half = fate == Fate::die_within;
  if (!actor.worker) {
    if (!request.match_elements<BeginCopy>() || !time_.chance.per_mille(dangers.full))
      return home.node.carry_out(request, half);
    return SimulatedNode::refuse(request);
  }
  if (request.match_elements<Compute>() && run_->memory.without_weights.contains(actor.node))
    throw Violation("node " + home.machine.name + " computes without weights");
  if (fate != Fate::fail) return actor.worker->carry_out(request, half);
  ++tally.failures;
  return SimulatedWorker::refuse(request);
}

void ClusterWorld::die(int node) {
  Process& dead = run_->processes[static_cast<std::size_t>(node)];
  if (!dead.alive) return;
  time_.tell("node " + dead.machine.name + " dies");
  ++tally.deaths;
  dead.alive = false;
  dead.machine.ready = time_.now() + milliseconds(50 + time_.chance.below(450));
  run_->nodes[static_cast<std::size_t>(node)] = nullptr;
  for (std::size_t i = 0; i < run_->actors.size(); ++i)
    if (run_->actors[i].node == node) {
      run_->actors[i].inbox.clear();
      if (run_->actors[i].seated) add(time_.some_time(50), Kind::end, i);
    }
}

}  // namespace troupe_test
