#pragma once

#include <string>
#include <vector>

#include "actors/algorithms/algorithm_runner.hpp"
#include "actors/algorithms/lbfgs/portion_rounds.hpp"
#include "models/optimizers/lbfgs_coefficients.hpp"

namespace troupe {

/// The results of an evaluation at some weights.
struct ObjectivePoint {
  double value = 0;           ///< of the objective: mean loss and penalty
  double loss = 0;            ///< mean loss
  double slope = 0;           ///< along the direction
  double squared_length = 0;  ///< of the gradient
  double largest = 0;         ///< largest magnitude in the gradient
  int non_finite_at = -1;     ///< a worker with a non-finite gradient in its slice; -1: none
};

/// The rounds of L-BFGS, and the numbers of its vectors. Each round has the timeout of a step.
class LbfgsRounds {
 public:
  LbfgsRounds(const StepContext& context, const Lbfgs& options) : context_(context), options_(options) {}

  /// The vector of the direction that is computed after `updates` pairs.
  int direction_of(std::int64_t updates) const;

  /// Evaluates the loss and its gradient at weights `buffer`, in two rounds. @param step the step of the batches,
  /// unless all samples are used
  ObjectivePoint evaluate(int buffer, std::int64_t step, int direction);
  /// Stores the last reduced gradient as the gradient.
  void take_gradient();
  /// Moves the committed weights by `length` along the direction and writes them to `to`. With coefficients, computes
  /// the direction first. Returns whether the new weights are finite. @param pairs the number of pairs that the
  /// direction is computed from. @param updates pairs so far
  bool move(int pairs, std::int64_t updates, double length, const std::vector<double>& coefficients, int to);
  /// Remembers the pair of a step, in one round; `updates` includes this pair. Without `pair`, remembers the gradient
  /// only.
  /// @param products in: at the weights before the step; out: at the weights after it
  void remember(Products& products, std::int64_t updates, bool pair, double length);
  /// Returns the products of all remembered pairs and the gradient.
  Products all_products(std::int64_t updates);

  /// Adds the costs of all rounds to the report.
  void tell(StepReport& report) const;

 private:
  Phase phase(const char* name) const;
  int change_of(std::int64_t update) const;
  int gradient() const;
  /// The vectors of the newest pairs, in the order of `Products`, then the gradient.
  std::vector<std::int32_t> vectors_of(int pairs, std::int64_t updates) const;
  template <class Request>
  std::vector<From<typename Request::Reply>> ask(Request request, const char* phase, double& seconds);
  /// Adds up the owners' parts of each of `products` products.
  template <class Reply>
  std::vector<double> sums_of(const std::vector<From<Reply>>& replies, std::size_t products, const char* phase) const;
  template <class Reply>
  void note_apply(const std::vector<From<Reply>>& replies, const char* name);

  const StepContext& context_;
  const Lbfgs& options_;
  PhaseSeconds seconds_;
  LbfgsReport report_;
  std::int64_t samples_ = 0;
  std::int64_t left_out_ = 0;
  std::int64_t bytes_over_bus_ = 0;
  std::int64_t correct_ = 0;
  std::int64_t bytes_sent_ = 0;
};

}  // namespace troupe
