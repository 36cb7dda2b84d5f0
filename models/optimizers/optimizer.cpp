#include "models/optimizers/optimizer.hpp"

#include <algorithm>
#include <cmath>

#include "models/optimizers/builtin_rules.hpp"
#include "models/optimizers/registry.hpp"
#include "models/optimizers/schedule.hpp"
#include "runtime/invalid.hpp"
#include "runtime/printable.hpp"

namespace troupe {
namespace {

constexpr std::size_t kLongestStateName = 100;

void require(bool holds, const std::string& what) {
  if (!holds) throw_invalid("optimizer: " + what);
}

void require_amount(double value, const std::string& name) {
  require(std::isfinite(value) && value >= 0, name + " is " + std::to_string(value) + ", not a number from 0 on");
}

void require_decay(double value, const std::string& name) {
  require(value >= 0 && value < 1, name + " is " + std::to_string(value) + ", not in [0, 1)");
}

void check(const OptimizerOptions& options) {
  require_amount(options.learning_rate, "learning_rate");
  require_amount(options.momentum, "momentum");
  require_amount(options.weight_decay, "weight_decay");
  require_amount(options.epsilon, "epsilon");
  require_decay(options.beta1, "beta1");
  require_decay(options.beta2, "beta2");
  check_schedule(options.schedule);
}

/// Names of vectors become parts of tensors' names in checkpoints.
bool is_state_name(const std::string& name) {
  return !name.empty() && is_printable(name, kLongestStateName) && name.find('/') == std::string::npos;
}

UpdateRule make_rule(const OptimizerOptions& options) {
  UpdateRule rule = find_optimizer(options.kind)(options);
  require(rule.prepare != nullptr, options.kind + " has a rule that prepares nothing");
  require(rule.state.size() <= kMostStateVectors,
          options.kind + " has more than " + std::to_string(kMostStateVectors) + " vectors of state");
  for (auto name = rule.state.begin(); name != rule.state.end(); ++name)
    require(is_state_name(*name) && std::find(rule.state.begin(), name, *name) == name,
            options.kind + " has vectors of state whose names are empty, alike, or cannot be shown");
  return rule;
}

}  // namespace

void refuse_momentum(const OptimizerOptions& options) {
  require(options.momentum == 0, options.kind + " takes no momentum");
}

Optimizer::Optimizer(const OptimizerOptions& options) : options_(options) {
  check(options);
  rule_ = make_rule(options);
}

double Optimizer::learning_rate(std::int64_t step) const {
  return options_.learning_rate * schedule_factor(options_.schedule, step);
}

UpdateFunction Optimizer::prepare(std::int64_t step, std::int64_t updates) const {
  return rule_.prepare({learning_rate(step), step, updates});
}

}  // namespace troupe
