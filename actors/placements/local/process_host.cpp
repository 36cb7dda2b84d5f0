#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "actors/launch/launch.hpp"
#include "actors/placements/host.hpp"
#include "actors/placements/local/last_words.hpp"
#include "actors/placements/local/local_servers.hpp"
#include "actors/transport/local_transport.hpp"
#include "runtime/log.hpp"
#include "runtime/processes/cgroup.hpp"
#include "runtime/processes/child_process.hpp"
#include "runtime/silence.hpp"

namespace troupe {
namespace {

/// Records the worker processes that may connect to the driver. Thread-safe, because the listener calls `admits` on a
/// thread of CAF.
class KnownChildren {
 public:
  /// Starts a worker process and registers it. The lock is held until the process is registered. Otherwise the process
  /// could connect before it is registered, and the listener would refuse it.
  ChildProcess start(const WorkerLaunch& launch, int store_socket, int last_words) {
    const std::lock_guard lock(mutex_);
    auto child = ChildProcess::start_again(
        program_arguments(), {{store_socket, WorkerLaunch::kStoreSocket}, {last_words, WorkerLaunch::kLastWords}},
        {launch_variable(launch.arguments())});
    known_.insert_or_assign(launch.worker, Known{child.pid(), *child.successor()});
    return child;
  }
  void forget(int worker) {
    const std::lock_guard lock(mutex_);
    known_.erase(worker);
  }
  /// Returns true if the process `pid` is registered for any worker.
  bool admits(pid_t pid) {
    const std::lock_guard lock(mutex_);
    return std::ranges::any_of(known_, [pid](const auto& each) { return each.second.is(pid); });
  }
  /// Returns true if `pid` is the process that was started for `worker`, or its successor: the process in which the
  /// program continues if it has made itself a daemon.
  bool is(int worker, pid_t pid) {
    const std::lock_guard lock(mutex_);
    const auto known = known_.find(worker);
    return known != known_.end() && known->second.is(pid);
  }

 private:
  struct Known {
    pid_t pid;
    Successor successor;
    bool is(pid_t other) const { return other == pid || other == successor.pid(); }
  };

  std::mutex mutex_;
  std::map<int, Known> known_;  ///< by worker
};

class ProcessHost : public Host {
 public:
  explicit ProcessHost(const HostParts& parts)
      : system_(parts.system),
        driver_(parts.mailbox.address()),
        store_(parts.store),
        servers_(system_, driver_),
        limits_{parts.hosting.suspect_after, parts.hosting.cut_after} {}

  void start(int worker) override {
    end(worker);
    if (!listener_)
      listener_.emplace(system_, driver_, [known = known_children_](pid_t pid) { return known->admits(pid); });
    const FileDescriptor socket = store_.connect_process();
    FileDescriptor& last_words = last_words_[worker];
    last_words = make_last_words();
    silences_.insert_or_assign(worker, Silence(limits_));
    cut_.erase(worker);
    out_of_memory_.erase(worker);
    child_of(worker) = known_children_->start({worker, listener_->path()}, socket.get(), last_words.get());
  }

  void end(int worker) override {
    auto& child = child_of(worker);
    if (!child) return;
    child->kill();
    known_children_->forget(worker);
    child.reset();
  }

  bool ends_the_lost() const override { return true; }
  bool is_expected(const WorkerArrival& arrival) override {
    return known_children_->is(arrival.join.worker, arrival.join.pid);
  }

  /// Closes the listening socket, so that no process can connect while the run computes.
  void stop_listening() override { listener_.reset(); }

  std::string node(int worker) const override { return "pid " + std::to_string(pid(worker)); }
  int pid(int worker) const override {
    const auto child = children_.find(worker);
    return child != children_.end() && child->second ? child->second->pid() : -1;
  }

  std::string how_it_ended(int worker, std::chrono::milliseconds timeout) override {
    auto& child = child_of(worker);
    if (!child) return "its process was not started";
    child->wait(timeout);
    const std::string how = child->how_it_ended();
    if (how.empty()) return "";
    if (const auto cut = cut_.find(worker); cut != cut_.end())
      return "its process showed " + cut->second + ", and was killed";
    return "its process " + how +
           (ran_out_of_memory(worker) ? ", because it exceeded the memory limit of its cgroup" : "");
  }

  std::optional<std::chrono::milliseconds> looks_every() const override { return Silence::kEvery; }
  std::vector<int> look_at(const std::vector<int>& workers) override {
    std::vector<int> ended;
    for (const int worker : workers) {
      look_at(worker);
      if (child_of(worker) && child_of(worker)->wait(std::chrono::milliseconds(0))) ended.push_back(worker);
    }
    return ended;
  }

  std::optional<Error> why_not_started(int worker, const Where& where) override {
    return read_last_words(last_words_[worker].get(), where);
  }

  std::unique_ptr<StateHome> make_state_home(StoreClient& store, Rounds& /*rounds*/) override {
    return keep_state_here(store);
  }
  std::vector<caf::actor> start_servers(const std::vector<std::shared_ptr<ParameterServer>>& servers) override {
    return servers_.start(servers);
  }

  bool end_all(bool /*all_stopped*/) override {
    children_.clear();
    listener_.reset();
    return true;
  }

 private:
  std::optional<ChildProcess>& child_of(int worker) { return children_[worker]; }

  /// Checks for how long `worker` has emitted no sign of life. Logs a warning after the time `suspect_after`, and kills
  /// the worker's process after `cut_after`.
  void look_at(int worker) {
    Silence& silence = silences_.at(worker);
    const Silence::Verdict verdict = silence.look(read_life(last_words_[worker].get()), Clock::now());
    if (verdict == Silence::Verdict::suspect)
      log_line(LogLevel::warning,
               "worker " + std::to_string(worker) + " (" + node(worker) + ") shows " + silence.text(),
               {.worker = worker, .node = node(worker)});
    if (verdict != Silence::Verdict::gone || !child_of(worker)) return;
    cut_.try_emplace(worker, silence.text());
    child_of(worker)->signal(SIGKILL);
  }

  /// Returns true if the kernel has killed `worker`, which has ended, because memory ran out. The kernel provides only
  /// a counter of such kills. Therefore a worker counts as killed in this way if SIGKILL ended it and the counter has
  /// increased since the previous worker ended.
  bool ran_out_of_memory(int worker) {
    const auto [known, is_new] = out_of_memory_.try_emplace(worker, false);
    if (!is_new) return known->second;
    const std::uint64_t before = std::exchange(kills_before_, out_of_memory_kills());
    known->second = child_of(worker)->exit_status() == 128 + SIGKILL && before < kills_before_;
    return known->second;
  }

  static std::uint64_t out_of_memory_kills() { return cgroup::Reader().out_of_memory_kills(); }

  caf::actor_system& system_;
  caf::actor driver_;
  ObjectStore& store_;
  LocalServers servers_;
  const Silence::Limits limits_;
  std::shared_ptr<KnownChildren> known_children_ = std::make_shared<KnownChildren>();
  std::optional<LocalListener> listener_;
  std::map<int, std::optional<ChildProcess>> children_;
  std::map<int, FileDescriptor> last_words_;
  std::map<int, Silence> silences_;
  /// By worker that was killed because it emitted no signs of life: a text that states for how long.
  std::map<int, std::string> cut_;
  std::map<int, bool> out_of_memory_;  ///< by worker that has ended: the result of `ran_out_of_memory`
  std::uint64_t kills_before_ = out_of_memory_kills();
};

}  // namespace

std::unique_ptr<Host> host_processes(const HostParts& parts) { return std::make_unique<ProcessHost>(parts); }

}  // namespace troupe
