#include "models/optimizers/line_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "runtime/invalid.hpp"

namespace troupe {
namespace {

/// Limits until a bracket is known. The next step exceeds the last step by at least a tenth of the last increase. It is
/// at most ten times the last step.
constexpr double kLeastGrowth = 0.1;
constexpr double kMostGrowth = 10;
/// A distance as a fraction of the bracket's width: two consecutive trials must not both be closer than this to an end.
constexpr double kMargin = 0.1;

bool is_finite_point(const LinePoint& point) { return std::isfinite(point.value) && std::isfinite(point.slope); }

void check_line_search(double first_step, const LineSearchOptions& options) {
  if (!(options.decrease > 0 && options.decrease <= options.curvature && options.curvature < 1))
    throw_invalid("line search: decrease and curvature must satisfy 0 < decrease <= curvature < 1");
  if (options.max_evaluations < 1) throw_invalid("line search: max_evaluations is less than 1");
  if (!(options.noise >= 0 && std::isfinite(options.noise)))
    throw_invalid("line search: noise must be finite and at least 0");
  if (!(first_step > 0 && std::isfinite(first_step)))
    throw_invalid("line search: the first step must be finite and above 0");
}

/// Returns the minimum of the cubic function through the values and slopes of both points. The result is a fraction of
/// the way from a to b, which may lie outside [0, 1]. The result is not finite if the cubic has no minimum. Slopes are
/// scaled before they are squared, so that the squares do not overflow.
double cubic_minimum(const LinePoint& a, const LinePoint& b) {
  const double width = b.step - a.step;
  const double theta = 3 * (a.value - b.value) / width + a.slope + b.slope;
  const double scale = std::max({std::abs(theta), std::abs(a.slope), std::abs(b.slope)});
  const double ratio = theta / scale;
  const double square = ratio * ratio - (a.slope / scale) * (b.slope / scale);
  const double root = std::copysign(scale * std::sqrt(square), width);
  return (root - a.slope + theta) / (2 * root - a.slope + b.slope);
}

/// Returns the point at which the slope becomes zero if it changes linearly between a and b, as a fraction like that of
/// cubic_minimum. Does not use the values.
double secant_minimum(const LinePoint& a, const LinePoint& b) { return a.slope / (a.slope - b.slope); }

}  // namespace

LineSearch::LineSearch(const LinePoint& start, double first_step, const LineSearchOptions& options)
    : start_(start), options_(options), low_(start), best_(start), next_(first_step) {
  check_line_search(first_step, options);
  if (!is_finite_point(start) || start.slope >= 0) end_ = LineSearchEnd::no_descent;
}

void LineSearch::note(double value, double slope) {
  if (end_ != LineSearchEnd::none) throw_invalid("line search: note() was called after the end of the search");
  LinePoint point{next_, value, slope};
  ++evaluations_;
  last_step_ = next_;
  failures_ = is_finite_point(point) ? 0 : failures_ + 1;
  if (failures_ > 0) point.value = std::numeric_limits<double>::infinity();
  if (satisfies_wolfe(point)) {
    best_ = point;
    end_ = LineSearchEnd::found;
    return;
  }
  if (point.value <= sufficient(point.step) + options_.noise && point.value < best_.value) best_ = point;
  place(point);
  if (end_ == LineSearchEnd::none && evaluations_ >= options_.max_evaluations) give_up(LineSearchEnd::budget);
}

/// Returns the largest value at `step` that meets Armijo's condition of sufficient decrease.
double LineSearch::sufficient(double step) const { return start_.value + options_.decrease * step * start_.slope; }

bool LineSearch::satisfies_wolfe(const LinePoint& point) const {
  if (!is_finite_point(point) || std::abs(point.slope) > -options_.curvature * start_.slope) return false;
  if (point.value <= sufficient(point.step)) return true;
  // The approximate form of Armijo's condition. It is equivalent to Armijo's condition if the function is quadratic. It
  // compares slopes, which are still accurate when values differ only by rounding.
  return options_.noise > 0 && point.value <= start_.value + options_.noise &&
         point.slope <= (2 * options_.decrease - 1) * start_.slope;
}

/// Returns true if the value of the point is so high that the interval between `low_` and the point contains an
/// acceptable step. Values within the noise are not high; for these the caller uses the slope.
bool LineSearch::is_high(const LinePoint& point) const {
  return point.value > std::min(sufficient(point.step), low_.value) + options_.noise;
}

void LineSearch::place(const LinePoint& point) {
  const LinePoint before = low_;
  const bool onward = !bracketed_ || high_.step > low_.step;
  if (is_high(point)) {
    high_ = point;
    bracketed_ = true;
  } else {
    low_ = point;
    if (onward ? point.slope >= 0 : point.slope <= 0) {
      high_ = before;
      bracketed_ = true;
    }
  }
  next_ = bracketed_ ? within() : beyond(before);
  if (bracketed_ ? !is_inside(next_) : next_ <= low_.step) give_up(LineSearchEnd::no_descent);
}

/// Returns true if the step lies strictly inside the bracket.
bool LineSearch::is_inside(double step) const {
  return step > std::min(low_.step, high_.step) && step < std::max(low_.step, high_.step);
}

/// Returns a step beyond `low_`: the minimum of the interpolation through `before`, the previous point, and `low_`. If
/// this minimum is not beyond `low_`, for example because the slope gets steeper, returns the largest allowed step.
double LineSearch::beyond(const LinePoint& before) const {
  const double growth = low_.step - before.step;
  const double step = before.step + minimum(before, low_) * growth;
  const double most = std::min(kMostGrowth * low_.step, std::numeric_limits<double>::max());
  if (!(step > low_.step)) return most;
  return std::min(std::max(step, low_.step + kLeastGrowth * growth), most);
}

/// Returns a step inside the bracket. One trial may be as close to an end as the interpolation predicts, because a
/// bracket can be far too wide. If the interpolation predicts a step close to an end twice in a row, the interpolation
/// may be wrong. The second step is then moved to a distance of a tenth of the bracket's width from the end, which
/// surely shrinks the bracket.
double LineSearch::within() {
  const double width = high_.step - low_.step;
  double fraction = interpolated();
  const bool at_margin = std::min(fraction, 1 - fraction) < kMargin;
  if (at_margin && (was_at_margin_ || !is_inside(low_.step + fraction * width))) {
    fraction = fraction < 0.5 ? kMargin : 1 - kMargin;
    was_at_margin_ = false;
  } else {
    was_at_margin_ = at_margin;
  }
  return low_.step + fraction * width;
}

/// Returns the expected minimum in the bracket, as a fraction of the way from `low_` to `high_`.
double LineSearch::interpolated() const {
  // The first trial with an infinite value is often only slightly too far, so halve the bracket. After a second one the
  // step may be too large by any factor, so divide by ten.
  if (std::isinf(high_.value)) return failures_ > 1 ? kMargin : 0.5;
  LinePoint low = low_;
  LinePoint high = high_;
  if (high.value < low.value) {
    // `high_` has a lower value than `low_` and only violates Armijo's condition, so the cubic may have no minimum
    // inside the bracket. Subtract the line of Armijo's condition from the function: the difference has a minimum
    // inside the bracket. More and Thuente do the same in this case.
    for (LinePoint* end : {&low, &high}) {
      end->value -= sufficient(end->step);
      end->slope -= options_.decrease * start_.slope;
    }
  }
  const double fraction = minimum(low, high);
  return std::isfinite(fraction) ? fraction : 0.5;
}

double LineSearch::minimum(const LinePoint& a, const LinePoint& b) const {
  const bool by_slopes = options_.noise > 0 && std::abs(a.value - b.value) <= options_.noise;
  return by_slopes ? secant_minimum(a, b) : cubic_minimum(a, b);
}

void LineSearch::give_up(LineSearchEnd without_decrease) {
  end_ = best_.step > 0 ? LineSearchEnd::decreased : without_decrease;
}

}  // namespace troupe
