#include "actors/algorithms/lbfgs/lbfgs.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "actors/algorithms/lbfgs/lbfgs_rounds.hpp"
#include "actors/algorithms/non_finite_search.hpp"
#include "actors/algorithms/step_seconds.hpp"

namespace troupe {
namespace {

/// The total number of portions into which the data is divided at least, if the option `Lbfgs::portions` is 0.
constexpr int kUsualPortions = 16;
/// The assumed relative rounding error of a mean of losses that are computed in single precision.
constexpr double kNoise = 1e-8;
/// After a step, a pair is stored only if the slope of the objective along the step's direction has grown enough. The
/// growth must exceed this fraction of the magnitude of the slope before the step.
constexpr double kLeastCurvature = 1e-10;

LbfgsEnd end_of(LineSearchEnd end) { return end == LineSearchEnd::budget ? LbfgsEnd::budget : LbfgsEnd::no_descent; }

bool has_ended_well(const LineSearch& search) {
  return search.end() == LineSearchEnd::found || search.end() == LineSearchEnd::decreased;
}

}  // namespace

/// Carries out one call of `LbfgsRunner::step`.
class LbfgsRunner::Step {
 public:
  Step(LbfgsRunner& algorithm, const StepContext& context)
      : algorithm_(algorithm), options_(algorithm.options_), context_(context), rounds_(context, algorithm.options_) {}

  StepReport run(bool rehearse);
  /// Stores the pair of the committed step, if this failed after the step. For this, computes both gradients again: at
  /// the weights before the step and at the weights after the step.
  void catch_up();

 private:
  Known know();
  void know_batch(Known& known);
  void check_finite(const ObjectivePoint& found) const;
  bool search(Known& known);
  void forget_history(Known& known);
  /// Runs a line search along the direction that follows from the products in `known`. Returns whether the line search
  /// was successful; the chosen point is in `taken_`.
  bool try_along(const Known& known);
  /// Moves the weights by `length` times the direction, into the spare buffer, and evaluates the objective there. If
  /// the moved weights are not finite, the result is NaN.
  /// @param makes_direction whether the direction must be computed first
  ObjectivePoint evaluate_along(const Known& known, double length, bool makes_direction);
  /// Commits the weights in the spare buffer as a step, and then stores the step's pair.
  void commit(const Known& known);
  /// Stores the pair of the committed step, and unpins the version before the step.
  void remember(Pending pending);
  StepReport report_of(const Known& known, LbfgsEnd end) const;

  LbfgsRunner& algorithm_;
  const Lbfgs& options_;
  const StepContext& context_;
  LbfgsRounds rounds_;
  const Stopwatch whole_;
  Version begun_ = context_.versions.committed();
  std::int64_t updates_ = begun_.updates;  ///< the number of pairs stored since the history began
  Direction direction_;
  ObjectivePoint found_;  ///< the results at the last point that the line search tried
  LinePoint taken_;       ///< the point that the line search chose
  LbfgsEnd end_ = LbfgsEnd::none;
};

StepReport LbfgsRunner::Step::run(bool rehearse) {
  if (algorithm_.pending_) catch_up();
  if (!algorithm_.known_ || algorithm_.known_->version != begun_)
    algorithm_.known_ = know();
  else if (!options_.full_batch)
    know_batch(*algorithm_.known_);
  Known known = *algorithm_.known_;
  if (known.largest <= options_.tolerance) return report_of(known, LbfgsEnd::converged);
  if (!search(known)) return report_of(known, end_);
  if (rehearse) return report_of(known, LbfgsEnd::none);
  commit(known);
  const bool converged = found_.largest <= options_.tolerance;
  return report_of(known, converged ? LbfgsEnd::converged : LbfgsEnd::none);
}

/// Evaluates the loss and its gradient at the committed weights, which were set, loaded, or computed by another
/// algorithm. Returns the results.
LbfgsRunner::Known LbfgsRunner::Step::know() {
  const ObjectivePoint found =
      rounds_.evaluate(context_.versions.buffer(), begun_.step, rounds_.direction_of(updates_));
  check_finite(found);
  rounds_.take_gradient();
  return {begun_, found.value, found.loss, found.largest, rounds_.all_products(updates_)};
}

/// Evaluates the loss and its gradient again at the same weights as in `known`, with the batch of this step. Updates
/// the values in `known`. Only those scalar products change in which the gradient is a factor.
void LbfgsRunner::Step::know_batch(Known& known) {
  const ObjectivePoint found =
      rounds_.evaluate(context_.versions.buffer(), begun_.step, rounds_.direction_of(updates_));
  check_finite(found);
  rounds_.remember(known.products, updates_, /*pair=*/false, 0);
  known.value = found.value;
  known.loss = found.loss;
  known.largest = found.largest;
}

void LbfgsRunner::Step::check_finite(const ObjectivePoint& found) const {
  Where where{.phase = "compute", .step = begun_.step + 1};
  if (!std::isfinite(found.value))
    throw Error(ErrorCode::non_finite_loss, std::isnan(found.value) ? "the loss is NaN" : "the loss is infinite",
                where);
  if (std::isfinite(found.squared_length)) return;
  std::string why;
  if (found.non_finite_at >= 0) {
    const Phase reduce{"reduce", begun_.step + 1, Deadline(context_.options.timeouts.step)};
    where = context_.rounds.where(found.non_finite_at, reduce);
    why = blame_for_gradients(context_, found.non_finite_at, context_.versions.buffer(), reduce, where);
  }
  throw Error(ErrorCode::non_finite_loss, "the gradient of the loss is not finite" + why, where);
}

/// Searches for a lower objective along the L-BFGS direction, which is computed from the stored pairs. If this line
/// search fails, forgets all pairs and searches along the negative gradient. Returns whether one of the searches was
/// successful.
bool LbfgsRunner::Step::search(Known& known) {
  if (try_along(known)) return true;
  if (known.products.pairs() == 0) return false;
  forget_history(known);
  return try_along(known);
}

/// Forgets all pairs, and sets `Version::updates` of the committed version to 0. The pairs are lost even if the next
/// line search fails, because the new search direction overwrites the vector of a pair.
void LbfgsRunner::Step::forget_history(Known& known) {
  Products alone;
  alone.at(0, 0) = known.products.at(known.products.g(), known.products.g());
  known.products = std::move(alone);
  updates_ = 0;
  context_.versions.commit(context_.versions.buffer(), {begun_.step, updates_});
  begun_ = context_.versions.committed();
  known.version = begun_;
  algorithm_.known_ = known;
}

bool LbfgsRunner::Step::try_along(const Known& known) {
  direction_ = lbfgs_direction(known.products);
  end_ = LbfgsEnd::no_descent;
  if (!(direction_.slope < 0) || !std::isfinite(direction_.slope)) return false;
  const double length = std::sqrt(direction_.squared_length);
  const double first = known.products.pairs() > 0 ? 1 : std::clamp(1 / length, 1e-30, 1.0);
  LineSearchOptions options;
  options.max_evaluations = options_.max_evaluations;
  options.noise = kNoise * std::abs(known.value);
  LineSearch search({0, known.value, direction_.slope}, first, options);
  bool makes_direction = true;
  while (search.end() == LineSearchEnd::none) {
    found_ = evaluate_along(known, search.next(), std::exchange(makes_direction, false));
    search.note(found_.value, found_.slope);
  }
  if (!has_ended_well(search)) {
    end_ = end_of(search.end());
    return false;
  }
  taken_ = search.best();
  if (!search.best_is_last()) found_ = evaluate_along(known, taken_.step, false);
  return true;
}

ObjectivePoint LbfgsRunner::Step::evaluate_along(const Known& known, double length, bool makes_direction) {
  const int to = *context_.versions.spare();
  const bool finite = rounds_.move(known.products.pairs(), updates_, length,
                                   makes_direction ? direction_.coefficients : std::vector<double>(), to);
  if (!finite) return {.value = std::nan(""), .slope = std::nan("")};
  return rounds_.evaluate(to, begun_.step, rounds_.direction_of(updates_));
}

void LbfgsRunner::Step::commit(const Known& known) {
  Versions& versions = context_.versions;
  Pending pending;
  pending.length = taken_.step;
  pending.pair = found_.slope - direction_.slope > kLeastCurvature * std::abs(direction_.slope);
  pending.products = known.products;
  pending.value = found_.value;
  pending.loss = found_.loss;
  pending.largest = found_.largest;
  const int to = *versions.spare();
  pending.before = versions.pin();
  versions.commit(to, {begun_.step + 1, updates_ + (pending.pair ? 1 : 0)});
  algorithm_.known_.reset();
  algorithm_.pending_ = pending;
  try {
    remember(std::move(pending));
  } catch (const Error& error) {
    // The step stays committed. The next call reports the failure and stores the pair.
    algorithm_.failure_ = error;
  }
}

void LbfgsRunner::Step::remember(Pending pending) {
  const Version& version = context_.versions.committed();
  rounds_.remember(pending.products, version.updates, pending.pair, pending.length);
  context_.versions.unpin(pending.before);
  algorithm_.known_ = {version, pending.value, pending.loss, pending.largest, std::move(pending.products)};
  algorithm_.pending_.reset();
}

void LbfgsRunner::Step::catch_up() {
  const Pending pending = *algorithm_.pending_;
  const Version& version = context_.versions.committed();
  const int direction = rounds_.direction_of(version.updates - (pending.pair ? 1 : 0));
  rounds_.evaluate(context_.versions.buffer_of(pending.before), version.step - 1, direction);
  rounds_.take_gradient();
  rounds_.evaluate(context_.versions.buffer(), version.step - 1, direction);
  remember(pending);
}

StepReport LbfgsRunner::Step::report_of(const Known& known, LbfgsEnd end) const {
  const bool moved = context_.versions.committed() != begun_;
  StepReport report;
  report.step = context_.versions.committed().step;
  report.loss = moved ? found_.loss : known.loss;
  const double squared = known.products.at(known.products.g(), known.products.g());
  report.gradient_norm = std::sqrt(moved ? found_.squared_length : squared);
  report.learning_rate = context_.learning_rate;
  report.strategy = context_.plan.strategy;
  report.deterministic = !context_.plan.ring_order;
  rounds_.tell(report);
  report.lbfgs.end = end;
  report.lbfgs.objective = moved ? found_.value : known.value;
  report.lbfgs.step_length = moved ? taken_.step : 0;
  report.lbfgs.largest = moved ? found_.largest : known.largest;
  report.lbfgs.pairs = known.products.pairs();
  report.slowest = slowest_of(context_.members.workers(), report.seconds.compute);
  report.seconds.step = whole_.seconds();
  return report;
}

StateDescription LbfgsRunner::state(const UpdateRules& /*optimizer*/, int num_shards,
                                    std::int64_t steps_per_epoch) const {
  StateDescription state;
  state.shape.singles = 2 * options_.history + 2;
  state.shape.spares = options_.backup_portions;
  const int wanted = options_.portions > 0 ? options_.portions : kUsualPortions;
  const std::int64_t parts = (wanted + num_shards - 1) / num_shards;
  const std::int64_t most = options_.full_batch ? std::max<std::int64_t>(1, steps_per_epoch) : 1;
  state.shape.parts = static_cast<std::int32_t>(std::clamp<std::int64_t>(parts, 1, most));
  for (int number = 0; number <= options_.history; ++number)
    state.saved.push_back("direction " + std::to_string(number));
  for (int number = 0; number < options_.history; ++number) state.saved.push_back("change " + std::to_string(number));
  return state;
}

void LbfgsRunner::check(const ModelDescription& model) const {
  if (model.traits.batch_dependent.empty()) return;
  throw Error(ErrorCode::unsupported,
              "the model has " + model.traits.batch_dependent +
                  ", so its loss depends on more than the weights: on the rest of a batch or on random numbers; "
                  "a line search cannot compare such losses; with lbfgs.freeze these layers "
                  "compute as in evaluations");
}

StepReport LbfgsRunner::step(const StepContext& context, const Deadline& /*deadline*/, bool rehearse) {
  return Step(*this, context).run(rehearse);
}

void LbfgsRunner::tell_failure() {
  if (failure_) throw Error(*std::exchange(failure_, std::nullopt));
}

void LbfgsRunner::make_whole(const StepContext& context, const Deadline& /*deadline*/) {
  Step(*this, context).catch_up();
}

void LbfgsRunner::forget() {
  known_.reset();
  pending_.reset();
  failure_.reset();
}

}  // namespace troupe
