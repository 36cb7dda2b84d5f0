#pragma once

#include <cstdint>

namespace troupe {

struct LineSearchOptions {
  double decrease = 1e-4;    ///< c1 of the Wolfe conditions, 0 < decrease <= curvature
  double curvature = 0.9;    ///< c2, below 1
  int max_evaluations = 25;  ///< at least 1
  /// The absolute error that values may have, such as of sums in float. Above 0 a step is also taken where only slopes
  /// tell that it is one (the approximate Wolfe conditions of Hager and Zhang, 2005), and values that differ by less
  /// than that count as equal.
  double noise = 0;
};

/// phi(step) = f(x + step d) and phi'(step), along a direction d.
struct LinePoint {
  double step = 0;
  double value = 0;
  double slope = 0;
};

enum class LineSearchEnd : std::uint8_t {
  none,        ///< goes on
  found,       ///< the strong Wolfe conditions hold, or with noise the approximate ones and the curvature condition
  decreased,   ///< they were not reached, by evaluations or by doubles; a point of sufficient decrease was
  no_descent,  ///< the slope at 0 is not below 0 or not finite, or the bracket vanished without such a point
  budget       ///< the evaluations are used up without such a point
};

/// A step that satisfies the strong Wolfe conditions (Nocedal and Wright, Numerical Optimization, 2nd ed., algorithms
/// 3.5 and 3.6), as a state machine: while `end` is none, the caller evaluates at `next` and notes what it found. It
/// holds numbers only, and the same notes give the same steps.
class LineSearch {
 public:
  /// @param start at step 0; what is not finite or not downhill there ends the search at once, with no_descent.
  /// @throws Error invalid_argument for options that cannot work, or a first step that is not above 0 and finite.
  LineSearch(const LinePoint& start, double first_step, const LineSearchOptions& options);

  LineSearchEnd end() const { return end_; }
  /// The step to evaluate while `end` is none.
  double next() const { return next_; }
  /// What was found at `next`. A value or slope that is not finite, -infinity too, counts as infinitely high.
  /// @throws Error invalid_argument once the search has ended.
  void note(double value, double slope);
  /// The accepted point when `end` is found; when it is decreased, that with the least value of those with sufficient
  /// decrease, which is below the start's. Until then the best so far: the start where there is none.
  const LinePoint& best() const { return best_; }
  /// Whether `best` is what was noted last, as it is whenever `end` is found. If not, the caller has to evaluate there
  /// again for its gradient.
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
  /// Ends of the bracket. `low_` has sufficient decrease and slopes down towards `high_`, on either side of it.
  LinePoint low_;
  LinePoint high_;
  LinePoint best_;
  double next_ = 0;
  double last_step_ = 0;
  int evaluations_ = 0;
  int failures_ = 0;  ///< trials in a row that were not finite
  bool bracketed_ = false;
  bool was_at_margin_ = false;  ///< the last trial in the bracket
  LineSearchEnd end_ = LineSearchEnd::none;
};

}  // namespace troupe
