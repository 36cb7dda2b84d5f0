#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "actors/driver/driver.hpp"
#include "actors/schedules/schedule.hpp"
#include "support/algorithms.hpp"
#include "support/optimizers.hpp"
#include "support/temporary_folder.hpp"

// Schedules with recorded asynchronous runs. Workers die, hang or fail, one after another or all at once. Then the
// record is replayed without such faults. Parameter servers count gradients instead of adding them; record and replay
// must apply the same gradients.
namespace troupe_test {

using namespace troupe;

namespace {

using std::chrono::milliseconds;

Options draw_recorded(Chance& chance, const Toy& toy) {
  Options options;
  options.num_workers = 1 + chance.below(3);
  options.num_shards = toy.shards;
  set_optimizer(options, toy.options);
  options.verbose = false;
  options.timeouts.step = options.timeouts.evaluate = options.timeouts.save = milliseconds(1000);
  options.timeouts.start = milliseconds(2000);
  options.fault_tolerance.max_failures = 1000;
  const int servers = 1 + chance.below(2);
  if (chance.below(3) > 0) {
    auto& downpour = options.algorithm.emplace<Downpour>();
    downpour.fetch_every = 1 + chance.below(3);
    downpour.push_every = 1 + chance.below(3);
    downpour.max_staleness = chance.one_of(std::array{-1, -1, 1, 3});
    downpour.servers = servers;
    chance.below(3);  // an unused number keeps the meaning of seeds
  } else {
    options.algorithm = Ssp{.staleness = 1 + chance.below(3), .servers = servers};
  }
  return options;
}

/// A run with a few steps. Weights are read after some of the steps.
class RecordedSchedule {
 public:
  RecordedSchedule(std::uint64_t seed, const Toy& toy)
      : toy_(toy), chance_(seed), options_(draw_recorded(chance_, toy)), steps_(5 + chance_.below(15)) {
    for (int step = 0; step < steps_; ++step)
      if (chance_.below(8) == 0) reads_.insert(step);
    dangers_.die = chance_.one_of(std::array{5, 20, 80, 200});
    dangers_.hang = chance_.one_of(std::array{0, 0, 5, 30});
    dangers_.pause = chance_.one_of(std::array{0, 0, 10, 50});
    dangers_.fail = chance_.one_of(std::array{0, 0, 10, 50});
    dangers_.repeat = chance_.one_of(std::array{0, 50, 300});
    dangers_.stillborn = chance_.one_of(std::array{0, 0, 30, 200});
    dangers_.echo = chance_.one_of(std::array{0, 100, 500});
  }

  /// @throws std::exception if the replay differs from the record
  void run(Tally& tally, std::ostream* trace) {
    record_of(options_) = folder_ / "record";
    const Applied recorded = run_once(dangers_, tally, trace);
    replay_of(options_) = std::exchange(record_of(options_), {});
    if (run_once({}, tally, trace) != recorded) throw Violation("a replay applies other gradients than its record");
  }

 private:
  /// The applied gradients as shards and steps, by the first float of a slice. The computing worker does not matter.
  using Applied = std::map<std::size_t, std::vector<std::pair<int, std::int64_t>>>;

  Applied run_once(const Dangers& dangers, Tally& tally, std::ostream* trace) {
    World world(chance_.next(), toy_, {}, trace);
    world.memory.counts = true;
    // In a run with faults, a failed call is repeated.
    const auto call = [&](const char* name, const auto& make) {
      world.begin_call(name, (options_.fault_tolerance.max_failures + 3) * std::chrono::seconds(10));
      for (;;) try {
          return make();
        } catch (const Error& error) {
          if (world.dangers.die == 0 || !may_come(error.code())) throw;
          ++world.tally.errors;
        }
    };
    std::optional<Driver> driver;
    const auto make_runtime = [&](const Hosting& of, int workers) { return world.make_runtime(of, workers); };
    call("start", [&] { driver.emplace([](int, int) { return std::unique_ptr<Model>(); }, options_, make_runtime); });
    world.dangers = dangers;
    for (int step = 0; step < steps_; ++step) {
      call("step", [&] { world.tally.repairs += static_cast<std::int64_t>(driver->step().repairs.size()); });
      if (reads_.contains(step))
        call("read_weights", [&] { driver->state().read_weights([](const auto& /*weights*/) {}); });
    }
    call("read_weights at last", [&] { driver->state().read_weights([](const auto& /*weights*/) {}); });
    driver.reset();
    world.tally.commits += steps_;
    tally += world.tally;
    return applied_in(world.memory);
  }

  static Applied applied_in(const Memory& memory) {
    Applied applied;
    for (const auto& [slice, gradients] : memory.applied) {
      for (const Gradient& each : gradients) applied[slice].emplace_back(each.shard, each.step);
      std::ranges::sort(applied[slice]);
    }
    return applied;
  }

  const TemporaryFolder folder_;
  const Toy& toy_;
  Chance chance_;
  Options options_;
  int steps_;
  std::set<int> reads_;
  Dangers dangers_;
};

}  // namespace

std::string run_replayed_schedule(std::uint64_t seed, Repertoire& repertoire, Tally& tally, std::ostream* trace) {
  ++tally.schedules;
  try {
    RecordedSchedule(seed, repertoire.without_clipping(static_cast<int>(seed % 1000))).run(tally, trace);
  } catch (const std::exception& error) {
    return error.what();
  }
  return {};
}

}  // namespace troupe_test
