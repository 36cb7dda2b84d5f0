#include "actors/schedules/schedule.hpp"

#include <algorithm>
#include <utility>

#include "actors/driver/driver.hpp"
#include "support/optimizers.hpp"

namespace troupe_test {

using namespace troupe;

namespace {

using std::chrono::milliseconds;

OptimizerSettings momentum() {
  OptimizerSettings options;
  options.momentum = 0.9;
  options.schedule.kind = ScheduleKind::step;
  options.schedule.step_size = 3;
  return options;
}

OptimizerSettings clipped_adam() {
  OptimizerSettings options;
  options.kind = "adam";
  options.clip_norm = 1;
  return options;
}

Options draw_options(Chance& chance, const Toy& toy) {
  Options options;
  options.num_workers = 1 + chance.below(4);
  options.fault_tolerance.restart = chance.below(3) == 0 ? Restart::redistribute : Restart::respawn;
  options.num_shards = toy.shards;
  set_optimizer(options, toy.options);
  options.verbose = false;
  options.timeouts.step = options.timeouts.evaluate = options.timeouts.save = milliseconds(1000);
  options.timeouts.start = milliseconds(2000);
  options.fault_tolerance.max_failures = chance.one_of(std::array{0, 1, 3, 8});
  options.fault_tolerance.backup_workers = std::min(chance.one_of(std::array{0, 0, 1, 2}), options.num_workers.max - 1);
  return options;
}

class Schedule {
 public:
  Schedule(std::uint64_t seed, Repertoire& repertoire, std::ostream* trace)
      : chance_(seed),
        undisturbed_(repertoire.of(chance_.below(1000))),
        options_(draw_options(chance_, undisturbed_.toy())),
        world_(chance_.next(), undisturbed_.toy(), {chance_.below(2) == 0, chance_.below(2) == 0}, trace) {}

  void run();
  const Tally& tally() const { return world_.tally; }

 private:
  struct Pin {
    Versions::PinId id;
    Path path;
  };

  void begin();
  void draw_call();
  /// Calls the driver. If the call throws, returns false and checks that nothing has changed.
  template <class Call>
  bool attempt(const std::string& name, const Call& call);
  /// Repeats a call as often as earlier faults may still disturb it.
  template <class Call>
  void insist(const std::string& name, const Call& call);
  void step(bool rehearse);
  void set_weights();
  void read_pin(const Pin& pin, int vector);
  void resize();
  void pin();
  void unpin();
  void end_well();

  const ToyState& expected() { return undisturbed_.at(path_); }
  void check_committed(int buffer);
  Chance chance_;
  Undisturbed& undisturbed_;
  Options options_;
  World world_;
  Path path_;
  std::vector<Pin> pins_;
  std::size_t repairs_ = 0;
  int hours_ = 1;  ///< number of hours that have begun; each hour has a budget of its own
  std::unique_ptr<Driver> driver_;
};

void Schedule::run() {
  const Dangers dangers = draw_dangers(chance_);
  if (chance_.below(4) == 0) world_.dangers = dangers;
  begin();
  world_.dangers = dangers;
  for (int calls = 3 + chance_.below(5); calls > 0; --calls) draw_call();
  end_well();
  driver_.reset();
}

/// A death while workers start is an error. Then another driver is started without faults.
void Schedule::begin() {
  const auto make = [&] {
    driver_ = std::make_unique<Driver>(
        [](int, int) { return std::unique_ptr<Model>(); }, options_,
        [&](const Hosting& hosting, int workers) { return world_.make_runtime(hosting, workers); });
  };
  if (attempt("start", make)) return;
  world_.dangers = {};
  check(attempt("start", make), "the driver does not start although there are no faults");
}

void Schedule::draw_call() {
  const int kind = chance_.below(20);
  if (kind < 10) {
    attempt("step", [&] { step(false); });
  } else if (kind < 12) {
    attempt("resize", [&] { resize(); });
  } else if (kind == 12) {
    attempt("rehearse", [&] { step(true); });
  } else if (kind == 13) {
    attempt("evaluate", [&] { check_evaluation(*driver_, undisturbed_, path_); });
  } else if (kind == 14) {
    attempt("read_weights", [&] { check_weights(*driver_, undisturbed_, path_); });
  } else if (kind == 15) {
    attempt("set_weights", [&] { set_weights(); });
  } else if (kind == 16 && !pins_.empty()) {
    attempt("read_pinned", [&] { read_pin(pins_.back(), chance_.below(2)); });
  } else if (kind == 17) {
    unpin();
  } else {
    pin();
  }
}

template <class Call>
bool Schedule::attempt(const std::string& name, const Call& call) {
  // Each loss within a call takes the time of a start, a round and a pause.
  if (attempt_call(world_, name, (options_.fault_tolerance.max_failures + 2) * std::chrono::seconds(10), call))
    return true;
  if (driver_)
    check(driver_->run().steps_done() == path_.step(), "the number of steps has changed in spite of an error");
  return false;
}

template <class Call>
void Schedule::insist(const std::string& name, const Call& call) {
  const int deaths = world_.unheard_deaths();
  int failures = world_.hanging();  // the end of a round that asks a hanging member detects it
  if (deaths > options_.fault_tolerance.max_failures) failures += deaths;
  while (!attempt(name, call)) check(--failures >= 0, name + " fails although there are no faults any more");
}

void Schedule::check_committed(int buffer) {
  const auto& vectors = world_.memory.slabs->vectors;
  for (std::size_t vector = 0; vector < vectors.size(); ++vector)
    check(same_bits(vectors[vector].at(static_cast<std::size_t>(buffer)), expected().vectors.at(vector)),
          "vector " + std::to_string(vector) + " of step " + std::to_string(path_.step()) +
              " differs from the undisturbed run");
}

void Schedule::step(bool rehearse) {
  const StepReport report = driver_->step(rehearse);
  check_step(report, undisturbed_, path_);
  check(std::cmp_less_equal(report.left_out.size(), options_.fault_tolerance.backup_workers),
        "more workers are left out than allowed");
  world_.tally.left_out += static_cast<std::int64_t>(report.left_out.size());
  repairs_ += report.repairs.size();
  world_.tally.repairs += static_cast<std::int64_t>(report.repairs.size());
  world_.tally.redistributed += std::ranges::count_if(report.repairs, &Repair::redistributed);
  check(std::cmp_less_equal(repairs_, options_.fault_tolerance.max_failures * hours_),
        "more losses are repaired than the budget allows");
  if (!rehearse) ++path_.steps;
  check(driver_->run().steps_done() == path_.step(), "the number of steps does not grow by one");
  if (rehearse) return;
  ++world_.tally.commits;
  check_committed(world_.applied);
}

void Schedule::set_weights() {
  driver_->state().set_weights(reversed(toy_weights(undisturbed_.toy().size, 1)));
  path_ = {1, path_.step(), 0};
  check_committed(world_.memory.placed);
}

void Schedule::resize() {
  const int workers = 1 + chance_.below(4);
  driver_->resize(workers);
  // With Restart::redistribute, losses during the call may leave fewer workers.
  check(options_.fault_tolerance.restart == Restart::redistribute ? driver_->run().num_workers() <= workers
                                                                  : driver_->run().num_workers() == workers,
        "the number of workers is wrong");
  ++world_.tally.resized;
}

void Schedule::pin() {
  if (pins_.size() < 2) pins_.push_back({driver_->state().pin(), path_});
}

void Schedule::unpin() {
  if (pins_.empty()) return;
  driver_->state().unpin(pins_.front().id);
  pins_.erase(pins_.begin());
}

void Schedule::read_pin(const Pin& pin, int vector) {
  Floats canonical;
  driver_->state().read_pinned(
      pin.id, vector, [&](std::span<const float> floats) { canonical.assign(floats.begin(), floats.end()); }, "pinned");
  check(same_bits(reversed(canonical), undisturbed_.at(pin.path).vectors.at(static_cast<std::size_t>(vector))),
        "vector " + std::to_string(vector) + " of a pinned version has changed");
}

/// Checks the end of a schedule: without further faults, and with a new failure budget, the state is correct and the
/// run continues.
void Schedule::end_well() {
  world_.dangers = {};
  world_.pass(std::chrono::hours(1) + std::chrono::minutes(1));
  ++hours_;
  insist("read_weights at last", [&] { check_weights(*driver_, undisturbed_, path_); });
  for (const Pin& pin : pins_)
    for (int vector = 0; vector < 2; ++vector) insist("read_pinned at last", [&] { read_pin(pin, vector); });
  insist("step at last", [&] { step(false); });
  insist("evaluate at last", [&] { check_evaluation(*driver_, undisturbed_, path_); });
}

}  // namespace

void check_step(const StepReport& report, Undisturbed& undisturbed, const Path& path) {
  const ToyState& expected = undisturbed.at(path);
  check(report.step == path.step() + 1, "the report has another step number");
  check(report.samples == toy_samples_of_all(undisturbed.toy().shards), "the number of samples is wrong");
  check(same_bits(report.loss, expected.loss), "the loss differs from the undisturbed run");
  check(same_bits(report.gradient_norm, expected.norm), "the gradient norm differs from the undisturbed run");
}

void check_evaluation(Driver& driver, Undisturbed& undisturbed, const Path& path) {
  const Evaluation evaluation = driver.evaluate();
  check(evaluation.samples == toy_samples_of_all(undisturbed.toy().shards), "the number of test samples is wrong");
  check(same_bits(evaluation.loss, undisturbed.evaluation_loss(path)),
        "the evaluation differs from the undisturbed run");
}

void check_weights(Driver& driver, Undisturbed& undisturbed, const Path& path) {
  Floats canonical;
  driver.state().read_weights([&](std::span<const float> floats) { canonical.assign(floats.begin(), floats.end()); });
  check(same_bits(reversed(canonical), undisturbed.at(path).vectors[0]),
        "the weights that are read differ from the committed ones");
}

Dangers draw_dangers(Chance& chance) {
  Dangers dangers;
  dangers.die = chance.one_of(std::array{0, 5, 20, 80, 250});
  dangers.hang = chance.one_of(std::array{0, 0, 0, 5, 30});
  dangers.pause = chance.one_of(std::array{0, 0, 10, 50});
  dangers.fail = chance.one_of(std::array{0, 0, 0, 10, 50});
  dangers.repeat = chance.one_of(std::array{0, 50, 300});
  dangers.late = chance.one_of(std::array{0, 0, 20, 100});
  dangers.stillborn = chance.one_of(std::array{0, 0, 30, 200});
  dangers.mute = chance.one_of(std::array{0, 0, 0, 50});
  dangers.echo = chance.one_of(std::array{0, 100, 500});
  dangers.full = chance.one_of(std::array{0, 0, 0, 100});
  return dangers;
}

bool may_come(ErrorCode code) {
  return code == ErrorCode::worker_lost || code == ErrorCode::timeout || code == ErrorCode::model_failed ||
         code == ErrorCode::store_full;
}

Repertoire::Repertoire() {
  for (const std::size_t size : {std::size_t{500}, std::size_t{2100}})
    for (const int shards : {4, 7})
      for (const auto& options : {momentum(), clipped_adam()}) toys_.emplace_back(size, shards, options);
  for (const Toy& toy : toys_) undisturbed_.emplace_back(toy);
}

std::string run_schedule(std::uint64_t seed, Repertoire& repertoire, Tally& tally, std::ostream* trace) {
  return run_counted(Schedule(seed, repertoire, trace), tally);
}

}  // namespace troupe_test
