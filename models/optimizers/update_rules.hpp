#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/optimizers/settings.hpp"

namespace troupe {

/// @param name what has that rate. @throws Error invalid_argument unless it is a float from 0 on
void check_learning_rate(double rate, const std::string& name);

/// The update rule of a run, for each group of tensors, and its learning rate. What built-in rules compute are
/// functions of floats in their own places, in a fixed order: their bits do not depend on how a vector is cut into
/// chunks. They are the same wherever the instruction set and the C library are, whose `pow` and `cos` take part in
/// rates and corrections.
class UpdateRules {
 public:
  /// @throws Error invalid_argument naming an option that cannot work.
  explicit UpdateRules(const OptimizerSettings& options);
  /// By a rule that has no name, for all tensors.
  UpdateRules(const OptimizerSettings& options, UpdateRule rule);

  /// Vectors of state as long as the weights, all zeros to begin with: 0 to kMostStateVectors.
  int state_vectors() const { return static_cast<int>(rules_.front().rule.state.size()); }
  /// What vector `vector` of the state is, such as "momentum".
  const std::string& state_name(int vector) const {
    return rules_.front().rule.state.at(static_cast<std::size_t>(vector));
  }
  /// The rate that the options say for a step, counted from 0, of tensors in no group. @throws Error invalid_argument
  /// where their function says what is no rate
  double learning_rate(std::int64_t step) const;
  /// The updates of a step: that of tensors in no group, whose rate it has, then those of the groups in order.
  std::vector<UpdateFunction> prepare(const UpdateStep& step) const;
  const std::vector<ParameterGroup>& groups() const { return options_.groups; }
  /// Of a group as `prepare` has them; 0 is that of tensors in no group.
  double weight_decay(std::size_t group) const {
    return group == 0 ? options_.weight_decay : options_.groups[group - 1].weight_decay.value_or(options_.weight_decay);
  }
  /// Whether the length of the mean gradient has to be known.
  bool clips() const { return options_.clip_norm > 0; }
  /// What a mean gradient of that length is multiplied with before all else, as PyTorch's clip_grad_norm_ does. A
  /// length that is not finite changes nothing: what comes of it is found where it is.
  float clip_factor(double norm) const;

 private:
  struct GroupRule {
    UpdateRule rule;
    double learning_rate_factor = 1;
  };

  OptimizerSettings options_;
  std::vector<GroupRule> rules_;  ///< as `prepare` has them; all have the same state
};

/// The rule by which the mean of copies that have learned by themselves becomes the new weights, by its kind. What it
/// is given as mean gradient is the mean of the copies. Average: they are. Nesterov: what they have moved is taken for
/// a gradient, as Douillard et al. 2023 do (DiLoCo), with `learning_rate` and `momentum`.
/// @throws Error invalid_argument for another kind
UpdateRules outer_optimizer(const OptimizerSettings& options);
inline constexpr const char* kOuterAverage = "average";
inline constexpr const char* kOuterNesterov = "nesterov";

}  // namespace troupe
