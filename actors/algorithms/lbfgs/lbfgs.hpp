#pragma once

#include <optional>
#include <vector>

#include "actors/algorithms/algorithm_runner.hpp"
#include "actors/algorithms/lbfgs/portion_rounds.hpp"
#include "models/optimizers/lbfgs_coefficients.hpp"
#include "models/optimizers/line_search.hpp"

namespace troupe {

/// Sandblaster L-BFGS (Dean et al. 2012, 4.2). The driver coordinates: owners of slices compute directions, move along
/// them and remember pairs; workers compute portions of the gradient as they become free. The driver handles scalar
/// products only, no vectors.
///
/// The state has these vectors with one buffer, in order: the directions d of pairs, plus one more, because the next
/// direction is computed while the others are still read; then the changes y of the gradient, divided by the step's
/// length; then the gradient. The vectors of pair number u, counted from the start of the history, are at index u
/// modulo the number of vectors. Therefore Version::updates is all that a checkpoint needs.
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

  /// Results of an evaluation of the committed weights.
  struct Known {
    Version version;
    double value = 0;  ///< of the objective
    double loss = 0;
    double largest = 0;
    Products products;
  };
  /// A committed step with a pair that is not remembered yet.
  struct Pending {
    Versions::PinId before = 0;  ///< pins the version before the step
    double length = 0;
    bool pair = true;   ///< whether there is a pair; else only the gradient is remembered
    Products products;  ///< at the version before the step
    double value = 0;
    double loss = 0;
    double largest = 0;
  };

  Lbfgs options_;
  std::optional<Known> known_;
  std::optional<Pending> pending_;
  std::optional<Error> failure_;  ///< failure to remember a pair, which the next call reports
};

}  // namespace troupe
