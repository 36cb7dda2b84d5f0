#pragma once

#include <string>
#include <vector>

#include "actors/algorithms/algorithm_runner.hpp"
#include "actors/algorithms/lbfgs/portion_rounds.hpp"
#include "models/optimizers/lbfgs_coefficients.hpp"

namespace troupe {

/// The results of evaluating the loss and its gradient at one set of weights.
struct ObjectivePoint {
  double value = 0;           ///< the objective: mean loss plus penalty
  double loss = 0;            ///< the mean loss
  double slope = 0;           ///< the slope of the objective along the search direction
  double squared_length = 0;  ///< the squared length of the gradient
  double largest = 0;         ///< the largest magnitude in the gradient
  int non_finite_at = -1;     ///< a worker whose slice of the gradient is not finite; -1: none
};

/// Carries out the rounds of L-BFGS, and computes the index of each of its vectors in the state (see LbfgsRunner). Each
/// round has the timeout of a step (`timeouts.step`).
class LbfgsRounds {
 public:
  LbfgsRounds(const StepContext& context, const Lbfgs& options) : context_(context), options_(options) {}

  /// Returns the index of the state's vector for the next direction, after `updates` pairs have been stored. It is also
  /// the direction of the pair with the number `updates`.
  int direction_of(std::int64_t updates) const;

  /// Evaluates the loss and its gradient at the weights in `buffer`. Workers first compute portions, and then reduce
  /// the gradients.
  /// @param step the step whose batches are used; ignored with `Lbfgs::full_batch`, where all samples are used
  /// @param direction the index of the direction along which the slope is computed
  ObjectivePoint evaluate(int buffer, std::int64_t step, int direction);
  /// Has the workers store the gradient of the last evaluation in the state's vector for the gradient.
  void take_gradient();
  /// Has the workers write new weights into the buffer `to`: the committed weights plus `length` times the direction.
  /// Returns whether the new weights are finite.
  /// @param pairs the number of stored pairs from which the direction is computed
  /// @param updates the number of pairs stored since the history began
  /// @param coefficients if not empty: first compute the direction, as the sum of the vectors of the pairs and the
  /// gradient, each multiplied by its coefficient. If empty: use the direction of the last call.
  bool move(int pairs, std::int64_t updates, double length, const std::vector<double>& coefficients, int to);
  /// Has the workers store the pair of a step, in one round. The direction is already in place, so the workers store
  /// the change of the gradient, and the gradient of the last evaluation.
  /// @param products in: the scalar products at the weights before the step; out: those at the weights after the step
  /// @param updates the number of pairs stored since the history began, including this pair
  /// @param pair if false, only the gradient is stored, and no pair
  /// @param length the step length, by which the change of the gradient is divided
  void remember(Products& products, std::int64_t updates, bool pair, double length);
  /// Returns all scalar products between the vectors of the stored pairs and the gradient, each vector with each other
  /// and with itself.
  /// @param updates the number of pairs stored since the history began
  Products all_products(std::int64_t updates);

  /// Writes the times and counts of all rounds of this object into `report`.
  void tell(StepReport& report) const;

 private:
  Phase phase(const char* name) const;
  /// Returns the index of the state's vector with the change of the gradient of the pair with the number `update`.
  int change_of(std::int64_t update) const;
  /// Returns the index of the state's vector with the gradient.
  int gradient() const;
  /// Returns the indices of the vectors of the newest `pairs` pairs, in the order of `Products`: first the directions,
  /// then the changes. The index of the gradient is last.
  /// @param updates the number of pairs stored since the history began
  std::vector<std::int32_t> vectors_of(int pairs, std::int64_t updates) const;
  /// Sends the request to the owners of slices, waits for their replies, and adds the elapsed time to `seconds`.
  template <class Request>
  std::vector<From<typename Request::Reply>> ask(Request request, const char* phase, double& seconds);
  /// Returns scalar products; `products` is their number. Each scalar product is added from the partial sums that the
  /// owners of slices report in `replies`.
  template <class Reply>
  std::vector<double> sums_of(const std::vector<From<Reply>>& replies, std::size_t products, const char* phase) const;
  template <class Reply>
  void note_apply(const std::vector<From<Reply>>& replies, const char* name);

  const StepContext& context_;
  const Lbfgs& options_;
  PhaseSeconds seconds_;
  LbfgsReport report_;
  std::int64_t samples_ = 0;
  PassCounts counts_;
  std::int64_t correct_ = 0;
  std::int64_t bytes_sent_ = 0;
};

}  // namespace troupe
