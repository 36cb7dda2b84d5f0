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
/// identical however a vector is divided into chunks. On two machines, the results are bitwise identical if the
/// instruction set and the C library are the same. The C library matters, because rates and corrections use its
/// functions `pow` and `cos`.
class UpdateRules {
 public:
  /// Makes the rules of the optimizer in `options`, built in or registered.
  /// @throws Error invalid_argument for an invalid option; the message names the option.
  explicit UpdateRules(const OptimizerSettings& options);
  /// Uses `rule`, which is not registered, for all tensors.
  UpdateRules(const OptimizerSettings& options, UpdateRule rule);

  /// Returns the number of state vectors, 0 to kMostStateVectors. Each is as long as the weights and initially zero.
  int state_vectors() const { return static_cast<int>(rules_.front().rule.state.size()); }
  /// Returns the name of a state vector, such as "momentum".
  const std::string& state_name(int vector) const {
    return rules_.front().rule.state.at(static_cast<std::size_t>(vector));
  }
  /// Returns the learning rate of a step, counted from 0, for tensors in no group, as the options define it.
  /// @throws Error invalid_argument if the user's function returns an invalid rate
  double learning_rate(std::int64_t step) const;
  /// Returns the update functions of a step. Function 0 is for tensors in no group, function g for group g, counted
  /// from 1. `step.learning_rate` is the rate of tensors in no group.
  std::vector<UpdateFunction> prepare(const UpdateStep& step) const;
  const std::vector<ParameterGroup>& groups() const { return options_.groups; }
  /// Returns the weight decay of a group. Groups are numbered as in the result of `prepare`; 0 stands for tensors in no
  /// group.
  double weight_decay(std::size_t group) const {
    return group == 0 ? options_.weight_decay : options_.groups[group - 1].weight_decay.value_or(options_.weight_decay);
  }
  /// Returns true if gradients are clipped, for which the L2 norm of the mean gradient must be known.
  bool clips() const { return options_.clip_norm > 0; }
  /// Returns the factor by which a mean gradient with the L2 norm `norm` must be multiplied before the update, as in
  /// PyTorch's clip_grad_norm_. Returns 1 if `norm` is not finite; the update then detects the values that are not
  /// finite.
  float clip_factor(double norm) const;

 private:
  struct GroupRule {
    UpdateRule rule;
    double learning_rate_factor = 1;
  };

  OptimizerSettings options_;
  std::vector<GroupRule> rules_;  ///< in the order of `prepare`'s result; all have the same state vectors
};

/// Returns the rule of local SGD that computes new weights from the mean of the copies of the weights. The rule
/// receives this mean in place of a mean gradient. `options.kind` is one of the two constants below. With kOuterAverage
/// the mean becomes the new weights. With kOuterNesterov, previous weights minus mean is used as a gradient with
/// `learning_rate` and `momentum`, as in DiLoCo (Douillard et al. 2023).
/// @throws Error invalid_argument for an unknown kind
UpdateRules outer_optimizer(const OptimizerSettings& options);
inline constexpr const char* kOuterAverage = "average";
inline constexpr const char* kOuterNesterov = "nesterov";

}  // namespace troupe
