#pragma once

#include <string>
#include <vector>

#include "actors/algorithms/algorithm_runner.hpp"
#include "actors/algorithms/lbfgs/portion_rounds.hpp"
#include "models/optimizers/lbfgs_coefficients.hpp"

namespace troupe {

/// The results of an evaluation at one set of weights.
struct ObjectivePoint {
  double value = 0;           ///< the objective: mean loss plus penalty
  double loss = 0;            ///< the mean loss
  double slope = 0;           ///< the slope of the objective along the direction
  double squared_length = 0;  ///< the squared length of the gradient
  double largest = 0;         ///< the largest magnitude in the gradient
  int non_finite_at = -1;     ///< a worker with a non-finite gradient in its slice; -1: none
};

/// Carries out the rounds of L-BFGS, and knows the index of each of its vectors in the state. Each round has the
/// timeout of a step.
class LbfgsRounds {
 public:
  LbfgsRounds(const StepContext& context, const Lbfgs& options) : context_(context), options_(options) {}

  /// Returns the index of the vector for the direction that is computed when there have been `updates` pairs.
  int direction_of(std::int64_t updates) const;

  /// Evaluates the loss and its gradient at the weights in `buffer`, in two rounds.
  /// @param step the step whose batches are used, unless all samples are used
  /// @param direction the index of the vector along which the slope is computed
  ObjectivePoint evaluate(int buffer, std::int64_t step, int direction);
  /// Copies the gradient of the last evaluation into the state's vector for the gradient.
  void take_gradient();
  /// Writes weights that are the committed weights plus `length` times the direction into buffer `to`. Returns whether
  /// the new weights are finite.
  /// @param pairs the number of pairs from which the direction is computed
  /// @param updates the number of pairs so far
  /// @param coefficients if not empty, the direction is first computed with these coefficients
  bool move(int pairs, std::int64_t updates, double length, const std::vector<double>& coefficients, int to);
  /// Remembers the pair of a step, in one round: stores the change of the gradient and the gradient.
  /// @param products in: at the weights before the step; out: at the weights after it
  /// @param updates the number of pairs so far, including this pair
  /// @param pair if false, only the gradient is remembered
  /// @param length the step's length
  void remember(Products& products, std::int64_t updates, bool pair, double length);
  /// Returns the scalar products of the vectors of all remembered pairs, and of the gradient.
  Products all_products(std::int64_t updates);

  /// Writes the costs of all rounds into the report.
  void tell(StepReport& report) const;

 private:
  Phase phase(const char* name) const;
  /// Returns the index of the vector for the change of the gradient in this pair.
  int change_of(std::int64_t update) const;
  int gradient() const;
  /// Returns the indices of the vectors of the newest pairs, in the order of `Products`, and then of the gradient.
  std::vector<std::int32_t> vectors_of(int pairs, std::int64_t updates) const;
  template <class Request>
  std::vector<From<typename Request::Reply>> ask(Request request, const char* phase, double& seconds);
  /// Returns `products` scalar products. For each product, adds the partial sums that the owners of slices have
  /// reported.
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
