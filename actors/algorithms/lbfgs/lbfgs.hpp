#pragma once

#include <optional>
#include <vector>

#include "actors/algorithms/algorithm_runner.hpp"
#include "actors/algorithms/lbfgs/portion_rounds.hpp"
#include "models/optimizers/lbfgs_coefficients.hpp"
#include "models/optimizers/line_search.hpp"

namespace troupe {

/// Sandblaster L-BFGS (Dean et al. 2012, 4.2). The driver coordinates: owners of slices make directions, move along
/// them and remember pairs; workers compute portions of the gradient as they become free. It knows scalar products, and
/// no vector.
///
/// Of the state's vectors in one buffer, the directions d of pairs come first, one more than pairs, since the next is
/// made beside those that it is made of; then the changes y of the gradient over the step's length; then the gradient.
/// Pair number u, counted from the beginning of the history, lies at u modulo how many there are, so Version::updates
/// says all that a checkpoint has to.
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

  /// What is known of the committed weights.
  struct Known {
    Version version;
    double value = 0;  ///< of the objective
    double loss = 0;
    double largest = 0;
    Products products;
  };
  /// A step that is committed, whose pair is not remembered yet.
  struct Pending {
    Versions::PinId before = 0;  ///< the version that it began from
    double length = 0;
    bool pair = true;   ///< else the gradient alone
    Products products;  ///< of that version
    double value = 0;
    double loss = 0;
    double largest = 0;
  };

  Lbfgs options_;
  std::optional<Known> known_;
  std::optional<Pending> pending_;
  std::optional<Error> failure_;  ///< of remembering, which the next call tells
};

}  // namespace troupe
