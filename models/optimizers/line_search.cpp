#include "models/optimizers/line_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "runtime/invalid.hpp"

namespace troupe {
namespace {

/// Limits for the growth of steps until a bracket is known. Each step exceeds the previous step by at least
/// kLeastGrowth times the previous increase. Each step is at most kMostGrowth times the previous step.
constexpr double kLeastGrowth = 0.1;
constexpr double kMostGrowth = 10;
/// A step inside the bracket is close to an end of the bracket if its distance from the end is less than this fraction
/// of the bracket's width. Two consecutive steps must not both be close to an end.
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

/// Returns the minimum of the cubic function that has the values and slopes of both points. The result is a fraction of
/// the way from a to b: 0 stands for a, 1 for b, and it may lie outside [0, 1]. The result is not finite if the cubic
/// has no minimum. Slopes are scaled before they are squared, so that the squares do not overflow.
double cubic_minimum(const LinePoint& a, const LinePoint& b) {
  const double width = b.step - a.step;
  const double theta = 3 * (a.value - b.value) / width + a.slope + b.slope;
  const double scale = std::max({std::abs(theta), std::abs(a.slope), std::abs(b.slope)});
  const double ratio = theta / scale;
  const double square = ratio * ratio - (a.slope / scale) * (b.slope / scale);
  const double root = std::copysign(scale * std::sqrt(square), width);
  return (root - a.slope + theta) / (2 * root - a.slope + b.slope);
}

/// Returns the point at which the slope becomes zero if it changes linearly between a and b. The result is a fraction
/// of the way from a to b, as in cubic_minimum. The values of the points are not used.
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

/// Returns the largest value of the function at `step` that satisfies Armijo's condition of sufficient decrease.
double LineSearch::sufficient(double step) const { return start_.value + options_.decrease * step * start_.slope; }

bool LineSearch::satisfies_wolfe(const LinePoint& point) const {
  if (!is_finite_point(point) || std::abs(point.slope) > -options_.curvature * start_.slope) return false;
  if (point.value <= sufficient(point.step)) return true;
  // The approximate form of Armijo's condition. For quadratic functions it is equivalent to Armijo's condition. It
  // compares slopes instead of values, because slopes are still accurate when values differ only by rounding.
  return options_.noise > 0 && point.value <= start_.value + options_.noise &&
         point.slope <= (2 * options_.decrease - 1) * start_.slope;
}

/// Returns true if the value of the point is so high that there is an acceptable step between `low_` and the point. A
/// value that is higher by at most the noise does not count as high; the caller then decides by the slope.
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

/// Returns true if `step` lies inside the bracket, and not at one of its ends.
bool LineSearch::is_inside(double step) const {
  return step > std::min(low_.step, high_.step) && step < std::max(low_.step, high_.step);
}

/// Returns the next step while there is no bracket. It is the minimum of the function that interpolates the previous
/// point `before` and `low_`, within the limits for the growth of steps. If this minimum is not beyond `low_`, for
/// example because the slope gets steeper, returns the largest allowed step.
double LineSearch::beyond(const LinePoint& before) const {
  const double growth = low_.step - before.step;
  const double step = before.step + minimum(before, low_) * growth;
  const double most = std::min(kMostGrowth * low_.step, std::numeric_limits<double>::max());
  if (!(step > low_.step)) return most;
  return std::min(std::max(step, low_.step + kLeastGrowth * growth), most);
}

/// Returns the next step, which is inside the bracket. One step may be as close to an end of the bracket as the
/// interpolation predicts, because a bracket can be far too wide. If the interpolation predicts a step close to an end
/// twice in a row, the interpolation may be wrong. The second step is then moved away from the end, to a distance of a
/// tenth of the bracket's width. This surely shrinks the bracket.
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

/// Returns the minimum that the interpolation predicts in the bracket, as a fraction of the way from `low_` to `high_`.
double LineSearch::interpolated() const {
  // If only the last step had an infinite value, this step was often only slightly too long, so the next step is in the
  // middle of the bracket. If two consecutive steps had infinite values, the step may be too long by any factor. The
  // next step is then at a tenth of the bracket.
  if (std::isinf(high_.value)) return failures_ > 1 ? kMargin : 0.5;
  LinePoint low = low_;
  LinePoint high = high_;
  if (high.value < low.value) {
    // `high_` has a lower value than `low_` and only violates Armijo's condition, so the cubic may have no minimum
    // inside the bracket. Therefore the line of Armijo's condition is subtracted from the function: the difference has
    // a minimum inside the bracket. More and Thuente do the same in this case.
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
