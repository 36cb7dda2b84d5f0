#include "actors/schedules/world.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <utility>

namespace troupe_test {

using namespace troupe;
using std::chrono::milliseconds;

Tally& Tally::operator+=(const Tally& more) {
  for (const auto each :
       {&Tally::schedules, &Tally::commits, &Tally::repairs, &Tally::redistributed, &Tally::resized,  &Tally::left_out,
        &Tally::errors,    &Tally::deaths,  &Tally::hangs,   &Tally::pauses,        &Tally::failures, &Tally::repeats,
        &Tally::stillborn, &Tally::mute,    &Tally::echoes,  &Tally::copies,        &Tally::replayed, &Tally::joined,
        &Tally::left,      &Tally::wiped,   &Tally::lies})
    this->*each += more.*each;
  return *this;
}

namespace {

template <class... Each>
std::string name_of(const caf::message& message, std::tuple<Each...>* /*kinds*/) {
  std::string name;
  ((message.match_elements<Each>() ? void(name = caf::type_name<Each>::value) : void()), ...);
  return name;
}

}  // namespace

std::string text_of(const caf::message& message) {
  const std::string name = name_of(message, static_cast<ToWorker*>(nullptr)) +
                           name_of(message, static_cast<ToNode*>(nullptr)) +
                           name_of(message, static_cast<ToDriver*>(nullptr));
  const auto without_run = [&]<class Message>(const Message* /*kind*/) -> std::string {
    if (!message.match_elements<Message>()) return "";
    auto copy = message.get_as<Message>(0);
    copy.run = 0;
    return name + caf::to_string(caf::make_message(std::move(copy)));
  };
  for (const std::string& text :
       {without_run(static_cast<MakeSlabs*>(nullptr)), without_run(static_cast<BeginCopy*>(nullptr)),
        without_run(static_cast<MovePieces*>(nullptr))})
    if (!text.empty()) return text;
  return name + caf::to_string(message);
}

class World::SimulatedHost : public Host {
 public:
  explicit SimulatedHost(World& world) : world_(world) {}

  void start(int worker) override { world_.start(worker); }
  void end(int worker) override { world_.end(worker); }
  std::vector<caf::actor> start_servers(const std::vector<std::shared_ptr<ParameterServer>>& servers) override {
    world_.start_servers(servers.size());
    return std::vector<caf::actor>(servers.size());
  }
  int pid(int worker) const override { return world_.pid(worker); }
  std::string node(int member) const override { return "pid " + std::to_string(pid(member)); }
  std::string how_it_ended(int member, milliseconds /*timeout*/) override { return world_.how_it_ended(member); }
  std::unique_ptr<StateHome> make_state_home(StoreClient& /*store*/, Rounds& /*rounds*/) override { return nullptr; }
  bool ends_the_lost() const override { return world_.manners_.kills_the_replaced; }
  bool settles_by_fence() const override { return world_.manners_.settles_by_fence; }
  bool end_all(bool /*all_stopped*/) override {
    world_.end_all();
    return true;
  }

 private:
  World& world_;
};

class World::SimulatedRuntime : public Runtime {
 public:
  SimulatedRuntime(World& world, const Hosting& hosting, int num_workers)
      : Runtime(world, Members(num_workers, hosting.devices_per_worker, 0, hosting.num_shards)), world_(world) {
    world_.members_ = &members;
  }
  ~SimulatedRuntime() override { world_.members_ = nullptr; }

  std::unique_ptr<Host> make_host(const CreateModel& /*creator*/) override {
    return std::make_unique<SimulatedHost>(world_);
  }
  std::unique_ptr<StateHome> make_state_home(Rounds& /*rounds*/) override {
    return std::make_unique<MemoryHome>(world_.memory, world_.time_.chance);
  }

 private:
  World& world_;
};

World::World(std::uint64_t seed, const Toy& toy, Manners manners, std::ostream* trace)
    : time_(seed, trace), toy_(toy), manners_(manners) {}

std::unique_ptr<Runtime> World::make_runtime(const Hosting& hosting, int num_workers) {
  return std::make_unique<SimulatedRuntime>(*this, hosting, num_workers);
}

void World::begin_call(const std::string& name, Clock::duration limit) {
  memory.full_per_mille = dangers.full;
  time_.begin_call(name, limit);
}

int World::unheard_deaths() const {
  return static_cast<int>(std::ranges::count_if(layout_, [&](const auto& seat) {
    return !process(seat.second).alive && members_ != nullptr && !members_->lost(seat.first);
  }));
}

bool World::starting() const {
  return std::ranges::any_of(started_, [&](const auto& each) { return !arrived_.contains(each.second); });
}

int World::hanging() const {
  return static_cast<int>(std::ranges::count_if(layout_, [&](const auto& seat) { return process(seat.second).hangs; }));
}

bool World::is_seated(int pid) const {
  const auto seat = layout_.find(process(pid).worker.index());
  return seat != layout_.end() && seat->second == pid;
}

void World::seat(int member, const caf::actor& /*actor*/) {
  if (Members::is_server(member)) return;
  const int newest = pid(member);
  if (!arrived_.contains(newest)) throw Violation("a worker is seated before it has arrived");
  layout_[member] = newest;
  if (!process(newest).alive) add(time_.soon(), Kind::end, newest);
}

void World::send(int member, const caf::message& message) {
  if (Members::is_server(member)) {
    const auto index = first_server_ + static_cast<std::size_t>(Members::server_of(member));
    if (time_.has_trace()) time_.tell("to server " + std::to_string(index) + ": " + caf::to_string(message));
    servers_.at(index).inbox.push_back(message);
    if (servers_[index].inbox.size() == 1) add(time_.soon(), Kind::serve, static_cast<int>(index));
    return;
  }
  const auto seat = layout_.find(member);
  if (seat == layout_.end()) throw Violation("a message to worker " + std::to_string(member) + ", which is not seated");
  if (message.match_elements<Advance>()) check_bound(member, message.get_as<Advance>(0).step);
  if (message.match_elements<Apply>()) applied = message.get_as<Apply>(0).to;
  if (time_.has_trace()) time_.tell("to pid " + std::to_string(seat->second) + ": " + text_of(message));
  Process& to = process(seat->second);
  if (!to.alive) return;
  to.inbox.push_back(message);
  if (to.inbox.size() == 1) add(time_.soon(), Kind::work, seat->second);
}

std::optional<Happening> World::hear(const Deadline& deadline) {
  return time_.hear(deadline, [this](Event event) { return happen(std::move(event)); });
}

void World::pass(Clock::duration time) {
  time_.pass(
      time, [](const Event& event) { return event.kind == Kind::work || event.kind == Kind::serve; },
      [this](Event event) { happen(std::move(event)); });
}

void World::add(Clock::duration from_now, Kind kind, int pid, caf::message content) {
  time_.add(from_now, {{}, kind, pid, std::move(content)});
}

std::optional<Happening> World::happen(Event event) {
  if (event.kind == Kind::serve) serve(event.pid);
  if (event.kind == Kind::served)
    return Answer{servers_[static_cast<std::size_t>(event.pid)].member, std::move(event.content)};
  if (event.kind == Kind::serve) return std::nullopt;
  const int worker = process(event.pid).worker.index();
  switch (event.kind) {
    case Kind::arrive:
      if (time_.has_trace())
        time_.tell("pid " + std::to_string(event.pid) + " joins as worker " + std::to_string(worker));
      arrived_.insert(event.pid);
      return WorkerArrival{{kProtocolVersion, worker, event.pid}, {}};
    case Kind::work:
      work(event.pid);
      return std::nullopt;
    case Kind::reply:
      if (!is_seated(event.pid)) return std::nullopt;
      if (time_.has_trace()) time_.tell("from pid " + std::to_string(event.pid) + ": " + text_of(event.content));
      return Answer{worker, std::move(event.content)};
    case Kind::end:
      if (!is_seated(event.pid)) return std::nullopt;
      if (time_.has_trace()) time_.tell("the end of pid " + std::to_string(event.pid) + " is seen");
      return Ended{worker};
    case Kind::serve:
    case Kind::served:
      break;
  }
  return std::nullopt;
}

World::Fate World::draw_fate(const Process& process) {
  if (time_.chance.per_mille(dangers.die))
    return std::array{Fate::die_before, Fate::die_within, Fate::die_behind,
                      Fate::die_after}[static_cast<std::size_t>(time_.chance.below(4))];
  if (time_.chance.per_mille(dangers.hang)) return Fate::hang;
  if (!process.paused && time_.chance.per_mille(dangers.pause)) return Fate::pause;
  if (time_.chance.per_mille(dangers.fail)) return Fate::fail;
  return Fate::obey;
}

void World::work(int pid) {
  Process& it = process(pid);
  if (!it.alive || it.hangs) return;
  const Fate fate = draw_fate(it);
  if (fate == Fate::die_before) return die(pid);
  if (fate == Fate::hang) {
    time_.tell("pid " + std::to_string(pid) + " hangs");
    ++tally.hangs;
    it.hangs = true;
    return;
  }
  if (fate == Fate::pause) {
    time_.tell("pid " + std::to_string(pid) + " pauses");
    ++tally.pauses;
    it.paused = true;
    return add(milliseconds(time_.chance.below(4000)), Kind::work, pid);
  }
  it.paused = false;
  tally.failures += fate == Fate::fail ? 1 : 0;
  const caf::message content = fate == Fate::fail ? SimulatedWorker::refuse(it.inbox.front())
                                                  : it.worker.carry_out(it.inbox.front(), fate == Fate::die_within);
  it.inbox.pop_front();
  if (fate == Fate::die_within || fate == Fate::die_behind) return die(pid);
  reply(pid, content);
  if (fate == Fate::die_after) return die(pid);
  if (!it.inbox.empty()) add(time_.soon(), Kind::work, pid);
}

void World::start_servers(std::size_t count) {
  first_server_ = servers_.size();
  for (const Range& slice : page_slices(toy_.size, count))
    servers_.push_back(
        {SimulatedServer(memory, slice), Members::member_of_server(static_cast<int>(servers_.size() - first_server_))});
}

void World::serve(int server) {
  auto& [it, member, inbox] = servers_[static_cast<std::size_t>(server)];
  if (static_cast<std::size_t>(server) < first_server_ || inbox.empty()) return;
  const auto push = inbox.front().get_as<Push>(0);
  inbox.pop_front();
  check_idle(push.rank);
  add(time_.some_time(dangers.late), Kind::served, server, caf::make_message(it.carry_out(push)));
  if (!inbox.empty()) add(time_.soon(), Kind::serve, server);
}

/// A worker that computes writes memory that servers read, and reads memory that they write. Checks that this worker
/// does not compute.
void World::check_idle(int rank) const {
  const std::vector<int> workers = members_->workers();
  const auto seat = layout_.find(workers.at(static_cast<std::size_t>(rank)));
  if (seat == layout_.end()) return;
  if (std::ranges::any_of(process(seat->second).inbox,
                          [](const auto& each) { return each.template match_elements<Advance>(); }))
    throw Violation("a server uses memory of a worker that computes");
}

/// Checks the staleness bound. A worker that was asked for a step has pushed its earlier steps.
void World::check_bound(int worker, std::int64_t clock) {
  asked_[worker] = clock;
  for (const int other : members_->workers())
    if (bound >= 0 && !members_->lost(other) && asked_.contains(other) && clock - asked_[other] > bound + 1)
      throw Violation("a worker exceeds the staleness bound");
}

void World::reply(int pid, const caf::message& content) {
  add(time_.some_time(dangers.late), Kind::reply, pid, content);
  if (!time_.chance.per_mille(dangers.repeat)) return;
  ++tally.repeats;
  add(time_.some_time(300), Kind::reply, pid, content);
}

void World::die(int pid) {
  time_.tell("pid " + std::to_string(pid) + " dies");
  ++tally.deaths;
  process(pid).alive = false;
  process(pid).inbox.clear();
  if (is_seated(pid)) add(time_.some_time(50), Kind::end, pid);
}

void World::start(int worker) {
  asked_.erase(worker);
  const auto before = started_.find(worker);
  if (before != started_.end()) {
    end(worker);
    if (time_.chance.per_mille(dangers.echo)) {
      ++tally.echoes;
      add(time_.soon(), Kind::arrive, before->second);
    }
  }
  const int pid = static_cast<int>(processes_.size());
  processes_.push_back({SimulatedWorker(worker, toy_, memory)});
  started_[worker] = pid;
  if (time_.chance.per_mille(dangers.stillborn)) {
    ++tally.stillborn;
    process(pid).alive = false;
  } else if (time_.chance.per_mille(dangers.mute)) {
    ++tally.mute;
    process(pid).hangs = true;
  } else {
    add(time_.some_time(dangers.late), Kind::arrive, pid);
  }
}

void World::end(int worker) {
  const auto started = started_.find(worker);
  if (started != started_.end() && manners_.kills_the_replaced) process(started->second).alive = false;
}

void World::end_all() {
  for (Process& each : processes_) each.alive = false;
  started_.clear();
  layout_.clear();
  first_server_ = servers_.size();
}

int World::pid(int worker) const {
  const auto started = started_.find(worker);
  return started == started_.end() ? -1 : started->second;
}

std::string World::how_it_ended(int worker) const {
  const int newest = pid(worker);
  if (newest < 0) return "its process was not started";
  return process(newest).alive ? "" : "its process was ended by signal 9";
}

}  // namespace troupe_test
