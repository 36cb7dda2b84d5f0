#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/optimizers/settings.hpp"

namespace troupe {

/// @param name names the rate in errors
/// @throws Error invalid_argument unless the rate is a finite float of at least 0
void check_learning_rate(double rate, const std::string& name);

/// The update rules of a run, one per group of tensors, and its learning rate. The built-in rules compute each float
/// from the floats at the same place, in a fixed order. Their results are therefore bitwise identical however a vector
/// is cut into chunks. Between machines, the results are bitwise identical if the instruction set and the C library are
/// the same: the library's `pow` and `cos` take part in rates and corrections.
class UpdateRules {
 public:
  /// @throws Error invalid_argument that names an invalid option.
  explicit UpdateRules(const OptimizerSettings& options);
  /// Uses an unnamed rule for all tensors.
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
  /// Prepares the updates of a step: first the update of tensors in no group, which uses the rate of `step`, then those
  /// of the groups in order.
  std::vector<UpdateFunction> prepare(const UpdateStep& step) const;
  const std::vector<ParameterGroup>& groups() const { return options_.groups; }
  /// Returns the weight decay of a group. Groups are numbered as in the result of `prepare`; 0 stands for tensors in no
  /// group.
  double weight_decay(std::size_t group) const {
    return group == 0 ? options_.weight_decay : options_.groups[group - 1].weight_decay.value_or(options_.weight_decay);
  }
  /// Returns true if the length of the mean gradient is needed.
  bool clips() const { return options_.clip_norm > 0; }
  /// Returns the factor that is applied to a mean gradient of length `norm` before all else, as in PyTorch's
  /// clip_grad_norm_. A length that is not finite gives 1; the values that are not finite are detected later.
  float clip_factor(double norm) const;

 private:
  struct GroupRule {
    UpdateRule rule;
    double learning_rate_factor = 1;
  };

  OptimizerSettings options_;
  std::vector<GroupRule> rules_;  ///< in the order of `prepare`'s result; all have the same state
};

/// Returns the rule that makes new weights of the mean of copies that have trained separately. The rule gets the mean
/// of the copies as its mean gradient. Average: the mean becomes the new weights. Nesterov: the change from the weights
/// to the mean is used as a gradient, as in DiLoCo (Douillard et al. 2023), with `learning_rate` and `momentum`.
/// @throws Error invalid_argument for an unknown kind
UpdateRules outer_optimizer(const OptimizerSettings& options);
inline constexpr const char* kOuterAverage = "average";
inline constexpr const char* kOuterNesterov = "nesterov";

}  // namespace troupe
