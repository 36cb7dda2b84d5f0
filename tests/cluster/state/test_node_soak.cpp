#include <doctest/doctest.h>
#include <signal.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <thread>

#include "actors/state/state_trial.hpp"
#include "cluster/nodes.hpp"
#include "runtime/random.hpp"
#include "support/optimizers.hpp"
#include "support/patience.hpp"

using namespace troupe;
using namespace troupe_test;

namespace {

constexpr std::uint64_t kSeed = 12;
constexpr int kStepsBetween = 12;

/// Kills a node at a random moment of a random step, once in every `kStepsBetween` steps of a run. Every second time, a
/// node loses its memory: its supervisor is killed, too, and started again. Otherwise only its process is killed.
class Killer {
 public:
  Killer(int kills, Nodes& nodes) : kills_(kills), nodes_(nodes), thread_([this] { run(); }) {}
  ~Killer() {
    {
      const std::lock_guard lock(mutex_);
      over_ = true;
    }
    changed_.notify_one();
    thread_.join();
  }
  Killer(const Killer&) = delete;
  Killer& operator=(const Killer&) = delete;

  /// Must be called before each step.
  void note(std::int64_t steps, std::vector<int> pids) {
    const std::lock_guard lock(mutex_);
    pids_ = std::move(pids);
    steps_ = steps;
    changed_.notify_one();
  }
  int kills() const { return killed_; }

 private:
  void run() {
    Random random(kSeed);
    std::unique_lock lock(mutex_);
    for (int kill = 0; kill < kills_; ++kill) {
      const auto step = static_cast<std::int64_t>(kill * kStepsBetween + 1 + random.below(kStepsBetween));
      const auto victim = random.below(1'000'000);
      const std::chrono::microseconds delay(random.below(4000));
      changed_.wait(lock, [&] { return steps_ >= step || over_; });
      if (over_) return;
      lock.unlock();
      std::this_thread::sleep_for(delay);
      lock.lock();
      const std::size_t node = victim % pids_.size();
      if (kill % 2 == 0)
        nodes_.start(static_cast<int>(node));
      else if (::kill(pids_[node], SIGKILL) != 0)
        continue;
      ++killed_;
    }
    // A node ends with the thread that has started it.
    changed_.wait(lock, [this] { return over_; });
  }

  const int kills_;
  Nodes& nodes_;
  std::atomic<int> killed_ = 0;
  std::mutex mutex_;
  std::condition_variable changed_;  ///< over_ or steps_
  bool over_ = false;
  std::int64_t steps_ = 0;
  std::vector<int> pids_;
  std::thread thread_;
};

Options options_of(Options options) {
  make_trial(options, kStatistics, "adam");
  edit(options)->schedule.total_steps = 10'000;
  return options;
}

}  // namespace

// 100 nodes are killed if TROUPE_SOAK is set in the environment, otherwise 5.
TEST_CASE("nodes that are killed at random moments do not change the results, and no disk is needed") {
  const int kills = std::getenv("TROUPE_SOAK") != nullptr ? 100 : 5;
  std::optional<Namespaces> namespaces;
  if (const std::string why = Namespaces::why_not(); why.empty())
    namespaces.emplace(3);
  else
    MESSAGE("over loopback: " << why);
  Nodes nodes(3, namespaces ? &*namespaces : nullptr);
  std::optional<InNamespace> inside;
  if (namespaces) inside.emplace(namespaces->driver());
  Options options = options_of(nodes.options());
  options.fault_tolerance.copy_every = 4;
  options.fault_tolerance.max_failures = 1000;
  DistributedSGD sgd(kStatistics.name, options);
  DistributedSGD twin(kStatistics.name, options_of({}));
  std::vector<double> seconds;
  std::int64_t replayed = 0;
  Killer killer(kills, nodes);
  for (int step = 0; step < (kills + 1) * kStepsBetween; ++step) {
    killer.note(step + 1, sgd.worker_pids());
    const StepReport report = sgd.step();
    CHECK(report.loss == twin.step().loss);
    for (const Repair& repair : report.repairs) {
      seconds.push_back(repair.seconds);
      replayed += repair.replayed;
    }
  }
  CHECK(killer.kills() == kills);
  REQUIRE_FALSE(seconds.empty());
  CHECK(bits_of(sgd.weights()) == bits_of(twin.weights()));
  std::ranges::sort(seconds);
  MESSAGE(killer.kills() << " nodes killed, " << seconds.size() << " losses seen, " << replayed
                         << " steps done again; a run was formed again in " << seconds[seconds.size() / 2]
                         << " s (median), " << seconds.back() << " s at most");
}
