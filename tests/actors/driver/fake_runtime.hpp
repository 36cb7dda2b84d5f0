#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "actors/placements/runtime.hpp"
#include "actors/rounds/fake_home.hpp"

namespace troupe_test {

/// A reception without waiting. It returns the replies that a test specifies, and logs which members are seated and
/// unseated.
class FakeReception : public troupe::Reception {
 public:
  explicit FakeReception(std::vector<std::string>& log) : log_(log) {}

  void seat(int member, const caf::actor& /*actor*/) override { log_.push_back("seat " + std::to_string(member)); }
  void unseat(int member) override { log_.push_back("unseat " + std::to_string(member)); }
  void send(int member, const caf::message& message) override {
    if (when_sent) when_sent(member, message);
  }

  template <class Reply>
  void answer(int member, Reply reply) {
    script_.emplace_back(troupe::Answer{member, caf::make_message(std::move(reply))});
  }
  void arrive(int worker, int pid = 0) {
    script_.emplace_back(troupe::WorkerArrival{{troupe::kProtocolVersion, worker, pid}, {}});
  }

  std::function<void(int member, const caf::message&)> when_sent;

 private:
  std::optional<troupe::Happening> hear(const troupe::Deadline& /*deadline*/) override {
    if (script_.empty()) return std::nullopt;
    troupe::Happening next = std::move(script_.front());
    script_.pop_front();
    return next;
  }

  std::vector<std::string>& log_;
  std::deque<troupe::Happening> script_;
};

/// A host that logs which workers are started and ended, and which nodes are cut off.
class FakeHost : public troupe::Host {
 public:
  explicit FakeHost(std::vector<std::string>& log) : log_(log) {}

  void start(int worker) override { log_.push_back("start " + std::to_string(worker)); }
  void end(int worker) override { log_.push_back("end " + std::to_string(worker)); }
  void cut_off(int node) override { log_.push_back("cut off " + std::to_string(node)); }
  int pid(int worker) const override {
    const auto known = pids.find(worker);
    return known == pids.end() ? -1 : known->second;
  }
  std::string node(int member) const override { return "m" + std::to_string(member); }
  std::string how_it_ended(int member, std::chrono::milliseconds /*timeout*/) override { return ends[member]; }
  std::optional<std::chrono::milliseconds> time_at_end() const override { return stop_time; }
  std::unique_ptr<troupe::StateHome> make_state_home(troupe::StoreClient& /*store*/,
                                                     troupe::Rounds& /*rounds*/) override {
    throw std::logic_error("there is no store");
  }
  bool end_all(bool all_stopped) override {
    log_.emplace_back("end all");
    return all_stopped;
  }

  std::map<int, int> pids;
  std::map<int, std::string> ends;
  std::optional<std::chrono::milliseconds> stop_time;

 private:
  std::vector<std::string>& log_;
};

/// A runtime on this machine. All workers have arrived. Its home stores nothing.
class FakeRuntime : public troupe::Runtime {
 public:
  using Log = std::vector<std::string>;

  explicit FakeRuntime(int workers, int shards = 12) : Runtime(reception, troupe::Members(workers, 1, 0, shards)) {
    host = make_host({});
    for (const int worker : members.workers()) members.come(worker);
  }
  ~FakeRuntime() override { log.emplace_back("gone"); }

  std::unique_ptr<troupe::Host> make_host(const troupe::CreateModel& /*creator*/) override {
    auto made = std::make_unique<FakeHost>(log);
    fake_host = made.get();
    return made;
  }
  std::unique_ptr<troupe::StateHome> make_state_home(troupe::Rounds& /*rounds*/) override {
    return std::make_unique<FakeHome>(log);
  }

  const std::shared_ptr<Log> kept_log = std::make_shared<Log>();  ///< can be read after this object is destroyed
  Log& log = *kept_log;
  FakeReception reception{log};
  FakeHost* fake_host = nullptr;
};

}  // namespace troupe_test
