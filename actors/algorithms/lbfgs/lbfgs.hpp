#pragma once

#include <optional>
#include <vector>

#include "actors/algorithms/algorithm_runner.hpp"
#include "actors/algorithms/lbfgs/portion_rounds.hpp"
#include "models/optimizers/lbfgs_coefficients.hpp"
#include "models/optimizers/line_search.hpp"

namespace troupe {

/// Sandblaster L-BFGS (Dean et al. 2012, section 4.2). The driver coordinates the others. Owners of slices compute
/// directions, move the weights along them, and remember pairs. Workers compute portions of the gradient as they become
/// free. The driver handles only scalar products, no vectors.
///
/// A pair is a direction d of a step and the change y of the gradient in this step, divided by the step's length. In
/// addition to the weights, the state has the following vectors, in this order. Each of them has one buffer.
/// - `history` + 1 directions. One more than pairs, because the next direction is computed while the others are still
///   read.
/// - `history` changes of the gradient.
/// - The gradient.
///
/// Pairs are numbered from the start of the history. The direction of pair u is at index u modulo (`history` + 1) of
/// the directions. Its change is at index u modulo `history` of the changes. Therefore a checkpoint needs only
/// Version::updates to find all vectors.
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

  /// The results of an evaluation at the committed weights.
  struct Known {
    Version version;
    double value = 0;  ///< of the objective: mean loss and penalty
    double loss = 0;
    double largest = 0;
    Products products;
  };
  /// A committed step whose pair is not remembered yet.
  struct Pending {
    Versions::PinId before = 0;  ///< pins the version before the step
    double length = 0;
    bool pair = true;   ///< whether the step makes a pair; if not, only the gradient is remembered
    Products products;  ///< scalar products at the version before the step
    double value = 0;
    double loss = 0;
    double largest = 0;
  };

  Lbfgs options_;
  std::optional<Known> known_;
  std::optional<Pending> pending_;
  std::optional<Error> failure_;  ///< the failure to remember a pair, which the next call reports
};

}  // namespace troupe
