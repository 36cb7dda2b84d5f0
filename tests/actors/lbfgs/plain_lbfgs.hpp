#pragma once

#include <deque>
#include <functional>

#include "actors/lbfgs/smooth_models.hpp"

namespace troupe_test {

/// L-BFGS over whole vectors of doubles on one thread: Nocedal and Wright, algorithms 7.4 and 7.5, with the line search
/// of Troupe.
class PlainLbfgs {
 public:
  /// Writes the gradient and returns the value.
  using Function = std::function<double(const Numbers& x, Numbers& gradient)>;

  PlainLbfgs(Function function, Numbers begin, const troupe::Lbfgs& options);

  /// Takes one step. Returns false if the line search fails.
  bool step();
  const Numbers& x() const { return x_; }
  const Numbers& gradient() const { return gradient_; }
  double value() const { return value_; }
  /// The last step's number of evaluations.
  int evaluations() const { return evaluations_; }
  double step_length() const { return step_length_; }

 private:
  struct Pair {
    Numbers s;
    Numbers y;
  };
  Numbers direction() const;

  Function function_;
  troupe::Lbfgs options_;
  Numbers x_;
  Numbers gradient_;
  double value_ = 0;
  std::deque<Pair> pairs_;
  int evaluations_ = 0;
  double step_length_ = 0;
};

}  // namespace troupe_test
