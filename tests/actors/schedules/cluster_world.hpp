#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <ostream>
#include <set>
#include <string>
#include <vector>

#include "actors/placements/cluster/gathering.hpp"
#include "actors/schedules/simulated_node.hpp"
#include "actors/schedules/timeline.hpp"
#include "actors/schedules/world.hpp"

namespace troupe_test {

/// A simulated cluster: machines, their nodes with one worker each, their messages to and from a driver, and the time
/// of each event. All events follow from the seed. This object is the driver's mailbox, and its host lets nodes join
/// runs. If the process of a node ends, its machine starts another process, which joins the next run.
class ClusterWorld : public troupe::Reception {
 public:
  /// @param trace receives one line per event; null: no trace
  ClusterWorld(std::uint64_t seed, const Toy& toy, int machines, std::ostream* trace);

  std::unique_ptr<troupe::Runtime> make_runtime(const troupe::Hosting& hosting, int num_workers);
  /// Starts a call of the driver. The call must end within `limit`.
  void begin_call(const std::string& name, troupe::Clock::duration limit) { time_.begin_call(name, limit); }
  /// Lets time pass without requests. Members finish their work.
  void pass(troupe::Clock::duration time);
  void tell(const std::string& what) const { time_.tell(what); }

  // Events between calls:
  /// Ends the processes of `count` random nodes.
  void kill(int count);
  /// Ends a random node's process. Its machine loses its memory, and may stay away for long.
  void wipe();
  /// Asks a random machine to end. It then stays away for a while.
  void let_leave();
  /// Lets all machines that are away return, and a machine without a node ask to join that never will.
  void let_all_return();
  void let_ghost_ask() { ghost_until_ = time_.now() + std::chrono::seconds(5); }
  /// From now on a random machine sends false values and checksums.
  void let_lie();

  /// Returns whether so much memory was lost since the newest complete copy that the state may be lost.
  bool state_may_be_lost() const { return lied_ || memories_lost_ > 1; }
  /// Records that no copy has the present state.
  void note_edit() {
    memories_lost_ = 2;
    copied_ = false;
  }
  /// Records that the driver knows that all nodes have completed a copy.
  void note_copy();
  const Floats& vector(std::size_t vector) const;

  Dangers dangers;
  Tally tally;

 private:
  enum class Fate : unsigned char { obey, die_before, die_within, die_after, hang, pause, fail };
  enum class Kind : unsigned char { arrive, work, reply, end };

  /// A node's process in one run, with its worker.
  struct Process {
    Process(Machine& its_machine, Memory& memory, const SimulatedNode::Nodes& nodes, Chance& chance)
        : machine(its_machine), node(its_machine, memory, nodes, chance), offers(offers_of(its_machine)) {}

    Machine& machine;
    SimulatedNode node;
    std::vector<troupe::OfferedCopy> offers;
    bool alive = true;
  };
  /// A node or a worker: one of the two that work at the same time in a process.
  struct Actor {
    int node = 0;
    int member = 0;
    std::optional<SimulatedWorker> worker = {};  ///< none if the actor is the node
    bool seated = false;
    bool hangs = false;
    bool paused = false;
    std::deque<caf::message> inbox = {};
  };
  /// The present run.
  struct Run {
    Memory memory;
    troupe::Members* members = nullptr;
    std::deque<Process> processes = {};  ///< by node
    SimulatedNode::Nodes nodes = {};
    std::deque<Actor> actors = {};
    std::map<int, std::size_t> layout = {};  ///< by member that is seated: its actor
    int applied = -1;                        ///< the buffer that workers were last asked to write
  };
  struct Event {
    troupe::Clock::time_point at;
    std::int64_t run = 0;
    Kind kind = Kind::arrive;
    std::size_t actor = 0;
    caf::message content = {};
    std::uint64_t number = 0;
  };
  class SimulatedHost;
  class SimulatedRuntime;

  static std::vector<troupe::OfferedCopy> offers_of(const Machine& machine);

  // The mailbox.
  void seat(int member, const caf::actor& actor) override;
  void unseat(int member) override;
  void send(int member, const caf::message& message) override;
  std::optional<troupe::Happening> hear(const troupe::Deadline& deadline) override;

  // The host.
  void gather(troupe::Gathering gathering, const troupe::Deadline& deadline);
  void join(std::vector<Machine*>& joined);
  void let_leavers_go(std::vector<Machine*>& joined);
  void leave(Machine& machine);
  static bool has_state(const std::vector<Machine*>& machines);
  void complete(const std::vector<Machine*>& joined);
  void start(int worker);
  void end_run();
  std::vector<std::string> newcomers(int most) const;
  std::vector<int> leavers() const;

  bool takes_part(const Machine& machine) const;
  Process& process(const Actor& actor) { return run_->processes[static_cast<std::size_t>(actor.node)]; }
  std::size_t add_actor(int node, int member);
  void add(troupe::Clock::duration from_now, Kind kind, std::size_t actor, caf::message content = {});
  std::optional<troupe::Happening> happen(Event event);
  Fate draw_fate(const Actor& actor);
  void work(std::size_t actor);
  std::optional<caf::message> carry_out(Actor& actor, const caf::message& request, Fate fate);
  void die(int node);
  void note_memory_lost();
  /// Returns a random node; none if its process has ended.
  std::optional<int> any_node();

  Timeline<Event> time_;
  const Toy& toy_;
  std::deque<Machine> machines_;
  std::optional<Run> run_;
  std::int64_t runs_ = 0;
  troupe::Clock::time_point ghost_until_;
  int memories_lost_ = 0;
  std::size_t copied_by_ = 1;  ///< at most the number of nodes that made the newest copy
  bool lied_ = false;
  bool copied_ = false;  ///< whether the driver knows a copy that was made since the state was set
};

}  // namespace troupe_test
