#pragma once

#include <optional>
#include <vector>

#include "actors/algorithms/algorithm_runner.hpp"
#include "actors/algorithms/lbfgs/portion_rounds.hpp"
#include "models/optimizers/lbfgs_coefficients.hpp"
#include "models/optimizers/line_search.hpp"

namespace troupe {

/// Trains with Sandblaster L-BFGS (Dean et al. 2012, section 4.2). The driver gives each free worker the next portion
/// of the data, for which the worker computes the gradient. The owners of slices compute search directions, move the
/// weights along a direction, and store pairs. The driver itself computes only with scalar products; it handles no
/// vectors.
///
/// A pair of a step consists of two vectors: the search direction d, and the change of the gradient in this step
/// divided by the step length. In addition to the weights, the state has the following vectors, in this order. Each
/// vector has one buffer.
/// - The directions d of pairs: `history` + 1 vectors. There is one vector more than pairs, because the next direction
///   is computed from the directions of all pairs.
/// - The changes of the gradient: `history` vectors.
/// - The gradient.
///
/// Pairs are numbered in the order in which they are stored, from 0. Among the directions, the direction of pair u has
/// the index u modulo (`history` + 1). Among the changes, the change of pair u has the index u modulo `history`.
/// Therefore the number of pairs (Version::updates) in a checkpoint is enough to find the vectors of all pairs.
class LbfgsRunner : public AlgorithmRunner {
 public:
  explicit LbfgsRunner(const Lbfgs& options) : options_(options) {}

  StateDescription state(const UpdateRules& optimizer, int num_shards, std::int64_t steps_per_epoch) const override;
  void check(const ModelDescription& model) const override;
  StepReport step(const StepContext& context, const Deadline& deadline, bool rehearse) override;
  void tell_failure() override;
  bool whole() const override { return !pending_; }
  void make_whole(const StepContext& context, const Deadline& deadline) override;
  void forget() override;

 private:
  class Step;

  /// The results of evaluating the loss and its gradient at the committed weights.
  struct Known {
    Version version;
    double value = 0;  ///< the objective: mean loss plus penalty
    /// The mean loss.
    double loss = 0;
    /// The largest magnitude in the gradient.
    double largest = 0;
    /// The scalar products of the vectors of all pairs and the gradient.
    Products products;
  };
  /// A committed step whose pair is not stored yet. `value`, `loss` and `largest` are as in `Known`, at the version
  /// after the step.
  struct Pending {
    Versions::PinId before = 0;  ///< pins the version before the step
    /// The step length.
    double length = 0;
    /// Whether a pair of the step is stored. If false, only the new gradient is stored.
    bool pair = true;
    Products products;  ///< scalar products at the version before the step
    double value = 0;
    double loss = 0;
    double largest = 0;
  };

  Lbfgs options_;
  std::optional<Known> known_;
  std::optional<Pending> pending_;
  std::optional<Error> failure_;  ///< the failure to store a pair; the next call reports it
};

}  // namespace troupe
