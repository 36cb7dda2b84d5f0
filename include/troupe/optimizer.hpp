#pragma once

#include <cstdint>
#include <string>

namespace troupe {

/// Learning rate as a function of the step. With `warmup_steps`, the rate first rises linearly from 0.
struct Schedule {
  std::string kind = "constant";  ///< "constant", "step" or "cosine"
  std::int64_t warmup_steps = 0;
  std::int64_t step_size = 1000;    ///< "step": multiply by `gamma` every so many steps
  double gamma = 0.1;               ///< "step"
  std::int64_t total_steps = 1000;  ///< "cosine": steps from the full rate down to `final_fraction` of it
  double final_fraction = 0;        ///< "cosine"
};

/// The update rule. Formulas are PyTorch's, of the same names.
struct OptimizerOptions {
  std::string kind = "sgd";  ///< "sgd" (with momentum, nesterov), "adagrad" or "adam"
  double learning_rate = 0.01;
  double momentum = 0;
  bool nesterov = false;
  double weight_decay = 0;  ///< L2: added to the gradient as weight_decay * weight
  double beta1 = 0.9;       ///< adam
  double beta2 = 0.999;     ///< adam
  double epsilon = 1e-8;    ///< adam, adagrad; 0 counts as the smallest normal float, so that 0 / 0 is 0
  Schedule schedule = {};
};

}  // namespace troupe
