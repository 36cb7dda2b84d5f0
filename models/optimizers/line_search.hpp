#pragma once

#include <cstdint>

namespace troupe {

struct LineSearchOptions {
  double decrease = 1e-4;    ///< constant c1 of the Wolfe conditions; 0 < decrease <= curvature
  double curvature = 0.9;    ///< constant c2 of the Wolfe conditions; below 1
  int max_evaluations = 25;  ///< maximum number of evaluations of the function; at least 1
  /// The absolute error that values of the function may have, for example because they are sums of floats. If `noise`
  /// is above 0, values that differ by at most `noise` count as equal. The search then also accepts a step by its
  /// slope, if the approximate Wolfe conditions hold (Hager and Zhang, 2005).
  double noise = 0;
};

/// An evaluated point of a line search along a direction d from x: the value of f(x + step d), and its derivative with
/// respect to `step` (the slope).
struct LinePoint {
  double step = 0;
  double value = 0;
  double slope = 0;
};

enum class LineSearchEnd : std::uint8_t {
  none,  ///< the search continues
  /// The strong Wolfe conditions hold at the best point. If `noise` is above 0, the curvature condition and the
  /// approximate Wolfe conditions are enough.
  found,
  /// The conditions for `found` could not be met within `max_evaluations` or within the precision of doubles. But the
  /// best point has sufficient decrease.
  decreased,
  /// The slope at step 0 is not negative or not finite, or no further step is possible although no point with
  /// sufficient decrease was found.
  no_descent,
  /// All `max_evaluations` evaluations were made before a point with sufficient decrease was found.
  budget
};

/// Searches for a step that satisfies the strong Wolfe conditions (Nocedal and Wright, Numerical Optimization, 2nd ed.,
/// algorithms 3.5 and 3.6). The object does not evaluate the function itself. While `end()` returns none, the caller
/// evaluates the function at step `next()` and passes the result to `note`. The search is deterministic.
class LineSearch {
 public:
  /// Begins a search.
  /// @param start the point at step 0. If its value or slope is not finite, or its slope is not negative, the search
  /// ends at once with no_descent
  /// @param first_step the first step to evaluate
  /// @throws Error invalid_argument for invalid options, or for a first step that is not finite and above 0.
  LineSearch(const LinePoint& start, double first_step, const LineSearchOptions& options);

  LineSearchEnd end() const { return end_; }
  /// Returns the step at which the caller must evaluate the function next, while `end()` returns none.
  double next() const { return next_; }
  /// Continues the search with the value and the slope of the function at step `next()`. If the value or the slope is
  /// not finite (NaN, infinity or -infinity), the value counts as infinity.
  /// @throws Error invalid_argument after the end of the search.
  void note(double value, double slope);
  /// Returns the best point so far. If `end()` returns found, this is the accepted point. If `end()` returns decreased,
  /// it is the point with the lowest value among the points with sufficient decrease, and its value is below that of
  /// the start. If no point with sufficient decrease was found, it is the start.
  const LinePoint& best() const { return best_; }
  /// Returns true if `best()` is the last evaluated point. This is always the case when `end()` returns found. If the
  /// result is false, the caller must evaluate the function at `best()` again to get the gradient there.
  bool best_is_last() const { return evaluations_ > 0 && best_.step == last_step_; }
  int evaluations() const { return evaluations_; }

 private:
  double sufficient(double step) const;
  bool satisfies_wolfe(const LinePoint& point) const;
  bool is_high(const LinePoint& point) const;
  void place(const LinePoint& point);
  double beyond(const LinePoint& before) const;
  double within();
  double interpolated() const;
  double minimum(const LinePoint& a, const LinePoint& b) const;
  bool is_inside(double step) const;
  void give_up(LineSearchEnd without_decrease);

  LinePoint start_;
  LineSearchOptions options_;
  /// The ends of the bracket, an interval that contains an acceptable step. The point `low_` has sufficient decrease,
  /// and the function decreases from `low_` towards `high_`. Either of them may have the smaller step.
  LinePoint low_;
  LinePoint high_;
  LinePoint best_;
  double next_ = 0;
  double last_step_ = 0;
  int evaluations_ = 0;
  int failures_ = 0;  ///< number of last consecutive evaluations that were not finite
  bool bracketed_ = false;
  bool was_at_margin_ = false;  ///< true if the last step was close to an end of the bracket
  LineSearchEnd end_ = LineSearchEnd::none;
};

}  // namespace troupe
