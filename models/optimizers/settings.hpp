#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "troupe/options.hpp"

namespace troupe {

/// The settings of an optimizer of any kind, and of gradient clipping, in one struct. Messages, checkpoints and the
/// command `troupe` use this struct. Members that a kind of optimizer does not have are ignored.
struct OptimizerSettings {
  std::string kind = "sgd";  ///< name of the kind of optimizer, as returned by to_string(Optimizer)
  double learning_rate = 0.01;
  double momentum = 0;
  bool nesterov = false;
  double weight_decay = 0;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
  double clip_norm = 0;  ///< GradientOptions::clip_norm
  Schedule schedule = {};
  LearningRate::Function learning_rate_at = {};  ///< LearningRate::function; only the driver uses it
  std::vector<ParameterGroup> groups = {};
  std::map<std::string, double> options = {};  ///< RegisteredOptimizer::options
};

/// Returns the settings of `optimizer`, with `clip_norm` as the limit for gradient clipping.
OptimizerSettings settings_of(const Optimizer& optimizer, double clip_norm);
inline OptimizerSettings settings_of(const Options& options) {
  return settings_of(options.optimizer, options.gradients.clip_norm);
}

/// Returns the optimizer with this name and default settings.
/// @throws Error invalid_argument for an unknown name
Optimizer usual_optimizer(const std::string& name);

/// Returns the optimizer with these settings. `clip_norm` is not used, because it is not a setting of an optimizer.
/// @throws Error invalid_argument for an unknown kind, or if `momentum` is set for a kind without momentum
Optimizer optimizer_of(const OptimizerSettings& settings);

}  // namespace troupe
