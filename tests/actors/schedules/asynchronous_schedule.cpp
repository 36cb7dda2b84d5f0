#include <algorithm>

#include "actors/driver/driver.hpp"
#include "actors/schedules/schedule.hpp"
#include "support/optimizers.hpp"

// Schedules of asynchronous algorithms. Parameter servers count gradients instead of adding them, so no floats are
// compared.
namespace troupe_test {

using namespace troupe;

namespace {

using std::chrono::milliseconds;

Options draw_asynchronous(Chance& chance, const Toy& toy) {
  Options options;
  options.num_workers = 1 + chance.below(4);
  options.fault_tolerance.restart = chance.below(3) == 0 ? Restart::redistribute : Restart::respawn;
  options.num_shards = toy.shards;
  set_optimizer(options, toy.options);
  options.verbose = false;
  options.timeouts.step = options.timeouts.evaluate = options.timeouts.save = milliseconds(1000);
  options.timeouts.start = milliseconds(2000);
  options.fault_tolerance.max_failures = chance.one_of(std::array{0, 1, 3, 8});
  const int servers = 1 + chance.below(2);
  if (chance.below(2) == 0) {
    auto& downpour = options.algorithm.emplace<Downpour>();
    downpour.fetch_every = 1 + chance.below(3);
    downpour.push_every = 1 + chance.below(3);
    downpour.max_staleness = chance.one_of(std::array{-1, -1, 0, 1, 3});
    downpour.servers = servers;
    chance.below(3);  // an unused number keeps the meaning of seeds
  } else {
    options.algorithm = Ssp{.staleness = 1 + chance.below(3), .servers = servers};
  }
  return options;
}

class AsynchronousSchedule {
 public:
  AsynchronousSchedule(std::uint64_t seed, const Toy& toy, std::ostream* trace)
      : chance_(seed),
        options_(draw_asynchronous(chance_, toy)),
        world_(chance_.next(), toy, {chance_.below(2) == 0, chance_.below(2) == 0}, trace) {
    world_.memory.counts = true;
    if (const auto* const ssp = std::get_if<Ssp>(&options_.algorithm)) world_.bound = ssp->staleness;
  }

  void run() {
    const Dangers dangers = draw_dangers(chance_);
    check(attempt("start", [&] { begin(); }), "the driver does not start although there are no faults");
    world_.dangers = dangers;
    for (int calls = 5 + chance_.below(10); calls > 0; --calls) draw_call();
    world_.dangers = {};
    world_.pass(std::chrono::hours(1) + std::chrono::minutes(1));
    for (const auto& last : {"step", "read_weights", "step"}) {
      // Including models that threw earlier.
      int failures = world_.hanging() + world_.unheard_deaths() + options_.num_workers.max;
      while (!attempt(last, [&] { last == std::string("step") ? step() : read_weights(); }))
        check(--failures >= 0, std::string(last) + " fails although there are no faults any more");
    }
    driver_.reset();
  }
  const Tally& tally() const { return world_.tally; }

 private:
  void begin() {
    driver_ = std::make_unique<Driver>(
        [](int, int) { return std::unique_ptr<Model>(); }, options_,
        [&](const Hosting& hosting, int workers) { return world_.make_runtime(hosting, workers); });
  }

  template <class Call>
  bool attempt(const std::string& name, const Call& call) {
    return attempt_call(world_, name, (options_.fault_tolerance.max_failures + 3) * std::chrono::seconds(10), call);
  }

  void draw_call() {
    const int kind = chance_.below(12);
    if (kind < 9) {
      attempt("step", [&] { step(); });
    } else if (kind == 9) {
      attempt("read_weights", [&] { read_weights(); });
    } else if (kind == 10) {
      attempt("evaluate", [&] { driver_->evaluate(); });
    } else {
      attempt("resize", [&] { driver_->resize(1 + chance_.below(4)); });
    }
  }

  void step() {
    const std::int64_t before = driver_->run().steps_done();
    const StepReport report = driver_->step();
    const auto& computed = report.asynchronous.workers;
    world_.tally.left_out += std::cmp_less(computed.size(), driver_->run().num_workers()) && world_.starting() ? 1 : 0;
    check(report.step == before + 1 && driver_->run().steps_done() == before + 1,
          "the number of steps does not grow by one");
    check(report.samples > 0, "the step has no samples");
    const auto* const downpour = std::get_if<Downpour>(&options_.algorithm);
    const bool bound = downpour != nullptr && downpour->max_staleness >= 0;
    check(!bound || report.asynchronous.staleness.largest <= downpour->max_staleness,
          "a gradient that is too old is applied");
    ++world_.tally.commits;
    world_.tally.repairs += static_cast<std::int64_t>(report.repairs.size());
    check(std::cmp_greater_equal(applied(), driver_->run().steps_done() * options_.num_shards),
          "fewer gradients are applied than the steps need");
  }

  std::size_t applied() const {
    std::size_t fewest = 0;
    for (const auto& [slice, gradients] : world_.memory.applied)
      fewest = fewest == 0 ? gradients.size() : std::min(fewest, gradients.size());
    return fewest;
  }

  void read_weights() {
    Floats weights;
    driver_->state().read_weights([&](std::span<const float> floats) { weights.assign(floats.begin(), floats.end()); });
    check(std::ranges::all_of(weights, [&](float each) { return each == static_cast<float>(applied()); }),
          "the weights that are read do not include all pushes");
    for (const auto& [slice, gradients] : world_.memory.applied)
      check(gradients == world_.memory.applied.begin()->second, "servers have applied different gradients");
  }

  Chance chance_;
  Options options_;
  World world_;
  std::unique_ptr<Driver> driver_;
};

}  // namespace

std::string run_asynchronous_schedule(std::uint64_t seed, Repertoire& repertoire, Tally& tally, std::ostream* trace) {
  const Toy& toy = repertoire.without_clipping(static_cast<int>(seed % 1000));
  return run_counted(AsynchronousSchedule(seed, toy, trace), tally);
}

}  // namespace troupe_test
