#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "troupe/options.hpp"

namespace troupe {

/// An optimizer as it goes over the wire, into checkpoints and through the command: what any kind has, in one struct,
/// with what is done to the gradient before. A kind lets lie what it has not.
struct OptimizerSettings {
  std::string kind = "sgd";  ///< as to_string(Optimizer)
  double learning_rate = 0.01;
  double momentum = 0;
  bool nesterov = false;
  double weight_decay = 0;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
  double clip_norm = 0;  ///< GradientOptions::clip_norm
  Schedule schedule = {};
  LearningRate::Function learning_rate_at = {};  ///< the driver's alone
  std::vector<ParameterGroup> groups = {};
  std::map<std::string, double> options = {};  ///< of a registered rule
};

OptimizerSettings settings_of(const Optimizer& optimizer, double clip_norm);
inline OptimizerSettings settings_of(const Options& options) {
  return settings_of(options.optimizer, options.gradients.clip_norm);
}

/// The optimizer of that name as it usually is. @throws Error invalid_argument for a name that there is not
Optimizer usual_optimizer(const std::string& name);

/// The value that has these settings, but for `clip_norm`. @throws Error invalid_argument for a kind that there is not,
/// and for a momentum of one that has none
Optimizer optimizer_of(const OptimizerSettings& settings);

}  // namespace troupe
