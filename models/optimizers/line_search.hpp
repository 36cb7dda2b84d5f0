#pragma once

#include <cstdint>

namespace troupe {

struct LineSearchOptions {
  double decrease = 1e-4;    ///< c1 of the Wolfe conditions, 0 < decrease <= curvature
  double curvature = 0.9;    ///< c2, below 1
  int max_evaluations = 25;  ///< at least 1
  /// The absolute error that values may have, for example because they are sums of floats. If it is above 0, the
  /// approximate Wolfe conditions (Hager and Zhang, 2005) also accept a step by its slopes alone. Values that differ by
  /// less than `noise` then count as equal.
  double noise = 0;
};

/// phi(step) = f(x + step d) and phi'(step), along a direction d.
struct LinePoint {
  double step = 0;
  double value = 0;
  double slope = 0;
};

enum class LineSearchEnd : std::uint8_t {
  none,        ///< the search continues
  found,       ///< the strong Wolfe conditions hold; with noise, alternatively the approximate ones and the curvature
               ///< condition
  decreased,   ///< they do not hold within the evaluations or the precision of doubles, but some point has sufficient
               ///< decrease
  no_descent,  ///< the slope at 0 is not negative or not finite, or the bracket vanished without a point of sufficient
               ///< decrease
  budget       ///< the evaluations are used up without a point of sufficient decrease
};

/// Searches a step that satisfies the strong Wolfe conditions (Nocedal and Wright, Numerical Optimization, 2nd ed.,
/// algorithms 3.5 and 3.6). It is a state machine: while `end` is none, the caller evaluates the function at `next` and
/// passes the result to `note`. It holds numbers only and is deterministic.
class LineSearch {
 public:
  /// @param start the point at step 0; if it is not finite or has no negative slope, the search ends with no_descent
  /// @throws Error invalid_argument for invalid options, or for a first step that is not finite and above 0.
  LineSearch(const LinePoint& start, double first_step, const LineSearchOptions& options);

  LineSearchEnd end() const { return end_; }
  /// Returns the step to evaluate while `end` is none.
  double next() const { return next_; }
  /// Takes the result of the evaluation at `next`. A value or slope that is not finite, including -infinity, counts as
  /// infinitely high.
  /// @throws Error invalid_argument after the end of the search.
  void note(double value, double slope);
  /// If `end` is found: the accepted point. If `end` is decreased: among the points with sufficient decrease, the one
  /// with the lowest value, which is below the start's value. Before the end: the best point so far, initially the
  /// start.
  const LinePoint& best() const { return best_; }
  /// Returns true if `best` is the last evaluated point; always true when `end` is found. If false, the caller must
  /// evaluate there again to get its gradient.
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
  /// The ends of the bracket. `low_` has sufficient decrease and slopes down towards `high_`; either may be the left
  /// end.
  LinePoint low_;
  LinePoint high_;
  LinePoint best_;
  double next_ = 0;
  double last_step_ = 0;
  int evaluations_ = 0;
  int failures_ = 0;  ///< consecutive trials that were not finite
  bool bracketed_ = false;
  bool was_at_margin_ = false;  ///< the last trial was close to an end of the bracket
  LineSearchEnd end_ = LineSearchEnd::none;
};

}  // namespace troupe
