#pragma once

#include <string>
#include <vector>

#include "actors/algorithms/algorithm_runner.hpp"
#include "actors/algorithms/lbfgs/portion_rounds.hpp"
#include "models/optimizers/lbfgs_coefficients.hpp"

namespace troupe {

/// What an evaluation found, at some weights.
struct ObjectivePoint {
  double value = 0;           ///< of the objective: mean loss and penalty
  double loss = 0;            ///< the mean
  double slope = 0;           ///< along the direction
  double squared_length = 0;  ///< of the gradient
  double largest = 0;         ///< of its floats' magnitudes
  int non_finite_at = -1;     ///< a worker of whose slice it is not finite
};

/// The rounds that L-BFGS is made of, with the numbers of its vectors. A round may take as long as a step.
class LbfgsRounds {
 public:
  LbfgsRounds(const StepContext& context, const Lbfgs& options) : context_(context), options_(options) {}

  /// The vector of the direction that is made when there have been so many pairs.
  int direction_of(std::int64_t updates) const;

  /// The loss and its gradient at weights `buffer`, in two rounds. @param step whose batches, where these are taken
  ObjectivePoint evaluate(int buffer, std::int64_t step, int direction);
  /// Makes what was reduced last the gradient.
  void take_gradient();
  /// Moves to weights `to`, so far from the committed ones; with coefficients makes the direction first. Returns
  /// whether the weights are finite. @param pairs that the direction is made of. @param updates pairs so far
  bool move(int pairs, std::int64_t updates, double length, const std::vector<double>& coefficients, int to);
  /// Takes the pair of a step in, of which there are `updates` with it, or else the gradient alone: one round.
  /// @param products of the weights before, and then of those after
  void remember(Products& products, std::int64_t updates, bool pair, double length);
  /// Of the pairs that there are, and the gradient.
  Products all_products(std::int64_t updates);

  /// What all of it took.
  void tell(StepReport& report) const;

 private:
  Phase phase(const char* name) const;
  int change_of(std::int64_t update) const;
  int gradient() const;
  /// The vectors of so many newest pairs, as `Products` has them, and the gradient.
  std::vector<std::int32_t> vectors_of(int pairs, std::int64_t updates) const;
  template <class Request>
  std::vector<From<typename Request::Reply>> ask(Request request, const char* phase, double& seconds);
  /// Of so many products.
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
