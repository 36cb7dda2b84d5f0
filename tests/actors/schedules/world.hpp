#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <ostream>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "actors/placements/runtime.hpp"
#include "actors/schedules/simulated_server.hpp"
#include "actors/schedules/simulated_worker.hpp"
#include "actors/schedules/virtual_time.hpp"

namespace troupe_test {

/// How often things go wrong, of a thousand times.
struct Dangers {
  int die = 0;        ///< at a request: before it, in the middle of it, behind it, or behind its reply
  int hang = 0;       ///< at a request, for ever
  int pause = 0;      ///< at a request, perhaps for longer than anybody waits
  int fail = 0;       ///< a model that throws
  int repeat = 0;     ///< a reply comes twice, the second time perhaps much later
  int late = 0;       ///< a reply takes long
  int stillborn = 0;  ///< a worker dies before it joins
  int mute = 0;       ///< or never joins
  int echo = 0;       ///< a worker that was replaced says once more that it joins
  int full = 0;       ///< the store has no room for a generation
};

/// How often things went wrong, and what became of it.
struct Tally {
  std::int64_t schedules = 0, commits = 0, repairs = 0, redistributed = 0, resized = 0, left_out = 0, errors = 0;
  std::int64_t deaths = 0, hangs = 0, pauses = 0, failures = 0, repeats = 0, stillborn = 0, mute = 0, echoes = 0;

  Tally& operator+=(const Tally& more);
};

/// The driver asked for something that cannot be, or goes on for ever.
struct Violation : std::logic_error {
  using std::logic_error::logic_error;
};

/// A simulated machine: worker processes, what they and the driver say to each other, and when. Everything that happens
/// follows from the seed. It is the driver's mailbox, and its host starts processes here.
class World : public troupe::Reception {
 public:
  struct Manners {
    bool kills_the_replaced = true;  ///< else they go on, as threads do, with what they have
    bool settles_by_fence = true;
  };

  /// @param trace what happens, line by line; null: nothing is told
  World(std::uint64_t seed, const Toy& toy, Manners manners, std::ostream* trace);

  /// For a driver with these options.
  std::unique_ptr<troupe::Runtime> make_runtime(const troupe::Hosting& hosting, int num_workers);
  /// A call of the driver begins; it has so much time.
  void begin_call(const std::string& name, troupe::Clock::duration limit);
  /// So much time passes in which nobody is asked anything, and workers end what they do.
  void pass(troupe::Clock::duration time);
  /// Members that have ended, and the driver has not heard of it.
  int unheard_deaths() const;
  /// Whether a worker is starting that has not joined.
  bool starting() const;
  /// Members that will never answer.
  int hanging() const;
  void tell(const std::string& what) const;

  // The mailbox.
  void seat(int member, const caf::actor& actor) override;
  void unseat(int member) override { layout_.erase(member); }
  void send(int member, const caf::message& message) override;

  // The host.
  void start(int worker);
  void end(int worker);
  void end_all();
  /// So many parameter servers, in place of those before.
  void start_servers(std::size_t count);
  int pid(int worker) const;
  std::string how_it_ended(int worker) const;

  Dangers dangers;
  Memory memory;
  Tally tally;
  int bound = -1;    ///< steps that a worker may be ahead of the slowest; none: -1
  int applied = -1;  ///< the buffer that workers were asked to write last

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
    std::uint64_t number;  ///< what was made earlier comes earlier
    Kind kind;
    int pid;  ///< or of a server, in order of their beginning
    caf::message content;
  };
  class SimulatedRuntime;
  class SimulatedHost;

  std::optional<troupe::Happening> hear(const troupe::Deadline& deadline) override;

  Process& process(int pid) { return processes_[static_cast<std::size_t>(pid)]; }
  const Process& process(int pid) const { return processes_[static_cast<std::size_t>(pid)]; }
  bool is_seated(int pid) const;
  void add(troupe::Clock::duration from_now, Kind kind, int pid, caf::message content = {});
  void push(Event event);
  Event pop();
  std::optional<troupe::Happening> happen(Event event);
  troupe::Clock::duration soon();
  troupe::Clock::duration some_time(int per_mille_long);
  Fate draw_fate(const Process& process);
  void work(int pid);
  void serve(int server);
  void check_idle(int rank) const;
  void check_bound(int worker, std::int64_t clock);
  void reply(int pid, const caf::message& content);
  void die(int pid);

  VirtualTime time_;
  Chance chance_;
  const Toy& toy_;
  const Manners manners_;
  std::ostream* const trace_;
  const troupe::Members* members_ = nullptr;
  std::deque<Process> processes_;      ///< by pid
  std::deque<Server> servers_;         ///< also those before
  std::size_t first_server_ = 0;       ///< of those that there are
  std::map<int, std::int64_t> asked_;  ///< by worker, the step of its clock that it was asked for last
  std::map<int, int> started_;         ///< the newest process of each worker
  std::map<int, int> layout_;          ///< by member
  std::set<int> arrived_;              ///< processes that have said that they join
  std::vector<Event> events_;          ///< a heap
  std::uint64_t last_event_ = 0;
  troupe::Clock::time_point call_ends_;  ///< at the latest
};

}  // namespace troupe_test
