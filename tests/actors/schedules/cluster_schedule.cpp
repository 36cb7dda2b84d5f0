#include <algorithm>
#include <utility>

#include "actors/driver/driver.hpp"
#include "actors/schedules/cluster_world.hpp"
#include "actors/schedules/schedule.hpp"
#include "support/optimizers.hpp"

namespace troupe_test {

using namespace troupe;

namespace {

using std::chrono::milliseconds;

constexpr int kMachines = 4;

Options draw_options_of_nodes(Chance& chance, const Toy& toy) {
  Options options;
  options.placement = Placement::cluster;
  options.cluster.listen = "127.0.0.1:1";  // the simulated host does not listen
  options.cluster.num_nodes = 2 + chance.below(kMachines - 1);
  options.cluster.min_nodes = 1 + chance.below(options.cluster.num_nodes);
  options.num_workers = {1, options.cluster.num_nodes};
  options.num_shards = toy.shards;
  set_optimizer(options, toy.options);
  options.verbose = false;
  options.timeouts.step = options.timeouts.evaluate = options.timeouts.save = milliseconds(1000);
  options.timeouts.start = std::chrono::seconds(20);
  options.fault_tolerance.max_failures = chance.one_of(std::array{1, 3, 8});
  options.fault_tolerance.copy_every = 1 + chance.below(3);
  return options;
}

Dangers draw_dangers_of_nodes(Chance& chance) {
  Dangers dangers;
  dangers.die = chance.one_of(std::array{0, 2, 10, 40, 100});
  dangers.hang = chance.one_of(std::array{0, 0, 0, 5});
  dangers.pause = chance.one_of(std::array{0, 0, 10});
  dangers.fail = chance.one_of(std::array{0, 0, 0, 10});
  dangers.late = chance.one_of(std::array{0, 0, 10});
  dangers.stillborn = chance.one_of(std::array{0, 0, 5});
  dangers.mute = chance.one_of(std::array{0, 0, 0, 20});
  dangers.leave = chance.one_of(std::array{0, 0, 20});
  dangers.full = chance.one_of(std::array{0, 0, 0, 200});
  return dangers;
}

bool may_come_of_liars(ErrorCode code) { return may_come(code) || code == ErrorCode::protocol; }

/// A run in a simulated cluster without checkpoints: after the loss of nodes, it continues from copies of the state in
/// the memory of other nodes.
class ClusterSchedule {
 public:
  ClusterSchedule(std::uint64_t seed, Repertoire& repertoire, std::ostream* trace)
      : chance_(seed),
        undisturbed_(repertoire.of(chance_.below(1000))),
        options_(draw_options_of_nodes(chance_, undisturbed_.toy())),
        world_(chance_.next(), undisturbed_.toy(), kMachines, trace) {}

  void run();
  const Tally& tally() const { return world_.tally; }

 private:
  void begin();
  void draw_call();
  void draw_event();
  /// Calls the driver. If the call throws, returns false and checks that nothing has changed.
  template <class Call>
  bool attempt(const std::string& name, const Call& call);
  /// Calls the driver, again and again as long as earlier faults may disturb the call. It may fail for good only if the
  /// state may be lost.
  template <class Call>
  void insist(const std::string& name, const Call& call);
  void step(bool rehearse);
  void set_weights();
  void end_well();

  const ToyState& expected() { return undisturbed_.at(path_); }
  Chance chance_;
  Undisturbed& undisturbed_;
  Options options_;
  ClusterWorld world_;
  Path path_;
  bool liar_ = false;
  std::int64_t copied_ = -1;  ///< CopyReport::step of the last step
  std::size_t repairs_ = 0;
  int hours_ = 1;  ///< number of hours that have begun; each hour has a budget of its own
  std::unique_ptr<Driver> driver_;
};

void ClusterSchedule::run() {
  begin();
  world_.dangers = draw_dangers_of_nodes(chance_);
  for (int calls = 4 + chance_.below(6); calls > 0; --calls) {
    draw_event();
    draw_call();
  }
  end_well();
  driver_.reset();
}

void ClusterSchedule::begin() {
  const auto make = [&] {
    driver_ = std::make_unique<Driver>(ModelCreator("noise"), options_, [&](const Hosting& hosting, int workers) {
      return world_.make_runtime(hosting, workers);
    });
  };
  check(attempt("start", make), "the driver does not start although there are no faults");
}

void ClusterSchedule::draw_event() {
  switch (chance_.below(16)) {
    case 0:
      return world_.kill(1);
    case 1:
      return world_.kill(1 + chance_.below(kMachines));
    case 2:
      return world_.wipe();
    case 3:
      return world_.let_leave();
    case 4:
      return world_.let_all_return();
    case 5:
      return world_.let_ghost_ask();
    case 6:
      return world_.pass(std::chrono::seconds(chance_.below(30)));
    case 7:
      if (chance_.below(4) > 0) return;
      liar_ = true;
      return world_.let_lie();
    default:
      return;
  }
}

void ClusterSchedule::draw_call() {
  const int kind = chance_.below(20);
  if (kind < 15) {
    attempt("step", [&] { step(false); });
  } else if (kind == 15) {
    attempt("rehearse", [&] { step(true); });
  } else if (kind == 16) {
    attempt("evaluate", [&] { check_evaluation(*driver_, undisturbed_, path_); });
  } else if (kind == 17) {
    attempt("set_weights", [&] { set_weights(); });
  } else {
    attempt("read_weights", [&] { check_weights(*driver_, undisturbed_, path_); });
  }
}

template <class Call>
bool ClusterSchedule::attempt(const std::string& name, const Call& call) {
  // Each loss within a call takes the time of a start and some rounds.
  const auto limit = (options_.fault_tolerance.max_failures + 2) * std::chrono::seconds(40);
  if (attempt_call(world_, name, limit, call, liar_ ? may_come_of_liars : may_come)) return true;
  if (driver_)
    check(driver_->run().steps_done() == path_.step(), "the number of steps has changed in spite of an error");
  return false;
}

template <class Call>
void ClusterSchedule::insist(const std::string& name, const Call& call) {
  for (int failures = 2 * kMachines; !attempt(name, call); --failures) {
    if (world_.state_may_be_lost()) return;
    check(failures > 0, name + " fails although there are no faults any more, and a copy of the state");
  }
}

void ClusterSchedule::step(bool rehearse) {
  const StepReport report = driver_->step(rehearse);
  check_step(report, undisturbed_, path_);
  world_.tally.repairs += static_cast<std::int64_t>(report.repairs.size());
  for (const Repair& each : report.repairs) world_.tally.replayed += each.replayed;
  repairs_ += report.repairs.size();
  check(std::cmp_less_equal(repairs_, options_.fault_tolerance.max_failures * hours_),
        "more losses are repaired than the budget allows");
  const bool copied = report.copies.step != std::exchange(copied_, report.copies.step);
  if (copied && report.copies.step >= 0 && report.copies.error.empty()) world_.note_copy();
  if (!rehearse) ++path_.steps;
  check(driver_->run().steps_done() == path_.step(), "the number of steps does not grow by one");
  if (rehearse) return;
  ++world_.tally.commits;
  for (std::size_t vector = 0; vector < expected().vectors.size(); ++vector)
    check(same_bits(world_.vector(vector), expected().vectors[vector]), "vector " + std::to_string(vector) +
                                                                            " of step " + std::to_string(path_.step()) +
                                                                            " differs from the undisturbed run");
}

void ClusterSchedule::set_weights() {
  driver_->state().set_weights(reversed(toy_weights(undisturbed_.toy().size, 1)));
  path_ = {1, path_.step(), 0};
  world_.note_edit();
}

/// Checks the end of a schedule: when all machines have returned, and with a new failure budget, the run continues, if
/// a copy of its state exists.
void ClusterSchedule::end_well() {
  world_.dangers = {};
  world_.pass(std::chrono::hours(1) + std::chrono::minutes(1));
  ++hours_;
  world_.let_all_return();
  insist("step at last", [&] { step(false); });
  insist("evaluate at last", [&] { check_evaluation(*driver_, undisturbed_, path_); });
  insist("read_weights at last", [&] { check_weights(*driver_, undisturbed_, path_); });
}

}  // namespace

std::string run_cluster_schedule(std::uint64_t seed, Repertoire& repertoire, Tally& tally, std::ostream* trace) {
  return run_counted(ClusterSchedule(seed, repertoire, trace), tally);
}

}  // namespace troupe_test
