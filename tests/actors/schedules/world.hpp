#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <ostream>
#include <set>
#include <string>
#include <vector>

#include "actors/placements/runtime.hpp"
#include "actors/schedules/simulated_server.hpp"
#include "actors/schedules/simulated_worker.hpp"
#include "actors/schedules/timeline.hpp"

namespace troupe_test {

/// Rates of faults, per thousand opportunities.
struct Dangers {
  int die = 0;        ///< a worker dies at a request: before, during or after it, or after its reply
  int hang = 0;       ///< a worker hangs at a request, forever
  int pause = 0;      ///< a worker pauses at a request, possibly beyond all deadlines
  int fail = 0;       ///< a model throws
  int repeat = 0;     ///< a reply arrives twice, the second time possibly much later
  int late = 0;       ///< a reply is slow
  int stillborn = 0;  ///< a worker dies before it joins
  int mute = 0;       ///< a worker never joins
  int echo = 0;       ///< a replaced worker joins again
  int full = 0;       ///< the store has no room for a generation, or a node has no room for a copy
  int leave = 0;      ///< a machine is asked to end while a run is formed, per 50 ms
};

/// Counts of faults and of their consequences.
struct Tally {
  std::int64_t schedules = 0, commits = 0, repairs = 0, redistributed = 0, resized = 0, left_out = 0, errors = 0;
  std::int64_t deaths = 0, hangs = 0, pauses = 0, failures = 0, repeats = 0, stillborn = 0, mute = 0, echoes = 0;
  std::int64_t copies = 0, replayed = 0, joined = 0, left = 0, wiped = 0, lies = 0;

  Tally& operator+=(const Tally& more);
};

/// Returns a description of a message to or from a worker or a node, without numbers that do not follow from the seed.
std::string text_of(const caf::message& message);

/// A simulated machine: worker processes, the messages between them and the driver, and the time of each event. All
/// events follow from the seed. The object is the driver's mailbox, and its host starts processes here.
class World : public troupe::Reception {
 public:
  struct Manners {
    bool kills_the_replaced = true;  ///< otherwise replaced workers keep running with their slabs, as threads do
    bool settles_by_fence = true;
  };

  /// @param trace receives one line per event; null: no trace
  World(std::uint64_t seed, const Toy& toy, Manners manners, std::ostream* trace);

  /// Returns a runtime for a driver with these options.
  std::unique_ptr<troupe::Runtime> make_runtime(const troupe::Hosting& hosting, int num_workers);
  /// Starts a call of the driver. The call must end within `limit`.
  void begin_call(const std::string& name, troupe::Clock::duration limit);
  /// Lets time pass without requests. Workers finish their work.
  void pass(troupe::Clock::duration time);
  /// Returns the number of members that have ended without the driver's knowledge.
  int unheard_deaths() const;
  /// Returns whether a worker is starting and has not joined.
  bool starting() const;
  /// Returns the number of members that will never reply.
  int hanging() const;
  void tell(const std::string& what) const { time_.tell(what); }

  // The mailbox.
  void seat(int member, const caf::actor& actor) override;
  void unseat(int member) override { layout_.erase(member); }
  void send(int member, const caf::message& message) override;

  // The host.
  void start(int worker);
  void end(int worker);
  void end_all();
  /// Starts `count` parameter servers that replace the earlier ones.
  void start_servers(std::size_t count);
  int pid(int worker) const;
  std::string how_it_ended(int worker) const;

  Dangers dangers;
  Memory memory;
  Tally tally;
  int bound = -1;    ///< the number of steps that a worker may be ahead of the slowest; -1: no limit
  int applied = -1;  ///< the buffer that workers were last asked to write

 private:
  enum class Fate : unsigned char { obey, die_before, die_within, die_behind, die_after, hang, pause, fail };
  enum class Kind : unsigned char { arrive, work, reply, end, serve, served };

  struct Process {
    SimulatedWorker worker;
    bool alive = true;
    bool hangs = false;
    bool paused = false;
    std::deque<caf::message> inbox = {};
  };
  struct Server {
    SimulatedServer server;
    int member = 0;
    std::deque<caf::message> inbox = {};
  };
  struct Event {
    troupe::Clock::time_point at;
    Kind kind = Kind::arrive;
    int pid = 0;  ///< or the number of a server, in the order of their starts
    caf::message content = {};
    std::uint64_t number = 0;
  };
  class SimulatedRuntime;
  class SimulatedHost;

  std::optional<troupe::Happening> hear(const troupe::Deadline& deadline) override;

  Process& process(int pid) { return processes_[static_cast<std::size_t>(pid)]; }
  const Process& process(int pid) const { return processes_[static_cast<std::size_t>(pid)]; }
  bool is_seated(int pid) const;
  void add(troupe::Clock::duration from_now, Kind kind, int pid, caf::message content = {});
  std::optional<troupe::Happening> happen(Event event);
  Fate draw_fate(const Process& process);
  void work(int pid);
  void serve(int server);
  void check_idle(int rank) const;
  void check_bound(int worker, std::int64_t clock);
  void reply(int pid, const caf::message& content);
  void die(int pid);

  Timeline<Event> time_;
  const Toy& toy_;
  const Manners manners_;
  const troupe::Members* members_ = nullptr;
  std::deque<Process> processes_;      ///< by pid
  std::deque<Server> servers_;         ///< including replaced ones
  std::size_t first_server_ = 0;       ///< the first current server
  std::map<int, std::int64_t> asked_;  ///< by worker, the step of its clock in its last request
  std::map<int, int> started_;         ///< the newest process of each worker
  std::map<int, int> layout_;          ///< by member
  std::set<int> arrived_;              ///< processes that have sent their join message
};

}  // namespace troupe_test
