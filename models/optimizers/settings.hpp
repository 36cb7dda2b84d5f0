#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "troupe/options.hpp"

namespace troupe {

/// The optimizer's settings as used in messages, checkpoints and the command: the members of all kinds in one struct,
/// and gradient clipping. Each kind ignores the members that it does not have.
struct OptimizerSettings {
  std::string kind = "sgd";  ///< a name as returned by to_string(Optimizer)
  double learning_rate = 0.01;
  double momentum = 0;
  bool nesterov = false;
  double weight_decay = 0;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
  double clip_norm = 0;  ///< GradientOptions::clip_norm
  Schedule schedule = {};
  LearningRate::Function learning_rate_at = {};  ///< used by the driver only
  std::vector<ParameterGroup> groups = {};
  std::map<std::string, double> options = {};  ///< options of a registered rule
};

OptimizerSettings settings_of(const Optimizer& optimizer, double clip_norm);
inline OptimizerSettings settings_of(const Options& options) {
  return settings_of(options.optimizer, options.gradients.clip_norm);
}

/// Returns the optimizer of that name with its defaults. @throws Error invalid_argument for an unknown name
Optimizer usual_optimizer(const std::string& name);

/// Returns the optimizer with these settings, except `clip_norm`.
/// @throws Error invalid_argument for an unknown kind, or for a momentum of a kind without momentum
Optimizer optimizer_of(const OptimizerSettings& settings);

}  // namespace troupe
