#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/optimizers/settings.hpp"

namespace troupe {

/// Checks that a learning rate is a finite float of at least 0.
/// @param name the name of the rate for the error message
/// @throws Error invalid_argument if the rate is invalid
void check_learning_rate(double rate, const std::string& name);

/// The update rules of a run, one for each group of tensors, and the learning rate. The built-in rules compute each
/// float from the floats at the same position, by the same operations in the same order. So the results are bitwise
/// identical, no matter how a vector is divided. On two machines, the results are bitwise identical if the instruction
/// set and the C library are the same. The C library matters, because learning rates and bias corrections are computed
/// by its functions `pow` and `cos`.
class UpdateRules {
 public:
  /// Makes the rules of the optimizer in `options`, built in or registered.
  /// @throws Error invalid_argument for an invalid option; the message names the option.
  explicit UpdateRules(const OptimizerSettings& options);
  /// Makes rules that use `rule`, which is not registered, for all tensors. The other options are those of `options`.
  UpdateRules(const OptimizerSettings& options, UpdateRule rule);

  /// Returns the number of state vectors, from 0 to kMostStateVectors. Each state vector is as long as the weights and
  /// starts with zeros.
  int state_vectors() const { return static_cast<int>(rules_.front().rule.state.size()); }
  /// Returns the name of the state vector with number `vector`, such as "momentum".
  const std::string& state_name(int vector) const {
    return rules_.front().rule.state.at(static_cast<std::size_t>(vector));
  }
  /// Returns the learning rate of a step, counted from 0, as the options define it. This is the rate for tensors that
  /// are in no group.
  /// @throws Error invalid_argument if the user's function returns an invalid rate
  double learning_rate(std::int64_t step) const;
  /// Returns the update functions of a step. Element 0 is for tensors that are in no group, and element g is for group
  /// g, counted from 1. `step.learning_rate` is the rate for tensors that are in no group.
  std::vector<UpdateFunction> prepare(const UpdateStep& step) const;
  const std::vector<ParameterGroup>& groups() const { return options_.groups; }
  /// Returns the weight decay of a group. Groups are numbered from 1; 0 stands for tensors that are in no group.
  double weight_decay(std::size_t group) const {
    return group == 0 ? options_.weight_decay : options_.groups[group - 1].weight_decay.value_or(options_.weight_decay);
  }
  /// Returns true if gradients are clipped. The L2 norm of the mean gradient must then be known before the update.
  bool clips() const { return options_.clip_norm > 0; }
  /// Returns the factor by which a mean gradient must be multiplied before the update, as in PyTorch's clip_grad_norm_.
  /// `norm` is the L2 norm of this mean gradient. Returns 1 if `norm` is not finite; the update then detects the values
  /// that are not finite.
  float clip_factor(double norm) const;

 private:
  struct GroupRule {
    UpdateRule rule;
    double learning_rate_factor = 1;
  };

  OptimizerSettings options_;
  std::vector<GroupRule> rules_;  ///< in the order of the result of `prepare`; all have the same state vectors
};

/// Returns the rule by which local SGD computes new weights from the mean of the copies of the weights. The rule
/// receives this mean in place of a mean gradient. `options.kind` is one of the two constants below. With
/// kOuterAverage, the mean becomes the new weights. With kOuterNesterov, the rule uses (previous weights - mean) as a
/// gradient, with `learning_rate` and `momentum` of the options, as in DiLoCo (Douillard et al. 2023).
/// @throws Error invalid_argument for an unknown kind
UpdateRules outer_optimizer(const OptimizerSettings& options);
inline constexpr const char* kOuterAverage = "average";
inline constexpr const char* kOuterNesterov = "nesterov";

}  // namespace troupe
