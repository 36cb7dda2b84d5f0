#include "models/optimizers/update_rules.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "models/optimizers/builtin_rules.hpp"
#include "models/optimizers/registry.hpp"
#include "models/optimizers/schedule.hpp"
#include "runtime/invalid.hpp"
#include "runtime/printable.hpp"

namespace troupe {
namespace {

constexpr std::size_t kLongestStateName = 100;
// Limits for parameter groups and options. They ensure that all patterns together fit into a message, in which one byte
// of a pattern may take two bytes.
constexpr std::size_t kLongestPattern = 1000;
constexpr std::size_t kMostGroups = 200;
constexpr std::size_t kMostOptions = 100;

void require(bool holds, const std::string& what) {
  if (!holds) throw_invalid("optimizer: " + what);
}

void require_amount(double value, const std::string& name) {
  require(value >= 0 && value <= std::numeric_limits<float>::max(),
          name + " is " + std::to_string(value) + "; it must be a finite float of at least 0");
}

void require_decay(double value, const std::string& name) {
  require(value >= 0 && value < 1, name + " is " + std::to_string(value) + "; it must be in [0, 1)");
}

void check_group(const ParameterGroup& group) {
  require(!group.pattern.empty() && is_printable(group.pattern, kLongestPattern),
          "a group's pattern is empty, too long, or contains characters that are not printable");
  const std::string of_group = " of group '" + group.pattern + "'";
  require_amount(group.weight_decay.value_or(0), "weight_decay" + of_group);
  require_amount(group.learning_rate_factor, "learning_rate_factor" + of_group);
  require(group.dimensions >= 0 && group.dimensions <= 8, "dimensions" + of_group + " must be in [0, 8]");
  require(!group.frozen || group.dimensions == 0,
          "frozen tensors are chosen by their names, so dimensions" + of_group + " must be 0");
}

/// Checks that frozen groups are first: whether a tensor is frozen must follow from its name alone.
void check_order(const std::vector<ParameterGroup>& groups) {
  bool by_dimensions = false;
  for (const ParameterGroup& group : groups) {
    by_dimensions = by_dimensions || group.dimensions > 0;
    require(!group.frozen || !by_dimensions,
            "group '" + group.pattern + "' of frozen tensors must be before all groups with dimensions");
  }
}

void check(const OptimizerSettings& options) {
  require_amount(options.learning_rate, "learning_rate");
  require_amount(options.momentum, "momentum");
  require_amount(options.weight_decay, "weight_decay");
  require_amount(options.epsilon, "epsilon");
  require_amount(options.clip_norm, "clip_norm");
  require_decay(options.beta1, "beta1");
  require_decay(options.beta2, "beta2");
  check_schedule(options.schedule);
  require(options.options.size() <= kMostOptions, "more than " + std::to_string(kMostOptions) + " options");
  for (const auto& [name, value] : options.options) {
    require(!name.empty() && is_printable(name, kLongestStateName),
            "an option's name is empty, too long, or not printable");
    require(std::isfinite(value), "option " + name + " must be finite, but is " + std::to_string(value));
  }
  require(options.groups.size() <= kMostGroups, "more than " + std::to_string(kMostGroups) + " groups");
  for (const ParameterGroup& group : options.groups) check_group(group);
  check_order(options.groups);
}

/// Returns true if a state vector may have this name, which becomes a part of tensor names in checkpoints.
bool is_state_name(const std::string& name) {
  return !name.empty() && is_printable(name, kLongestStateName) && name.find('/') == std::string::npos;
}

UpdateRule make_rule(const OptimizerSettings& options) {
  UpdateRule rule = find_optimizer(options.kind)(options);
  require(rule.prepare != nullptr, options.kind + " has no prepare function");
  require(rule.state.size() <= kMostStateVectors,
          options.kind + " has more than " + std::to_string(kMostStateVectors) + " state vectors");
  for (auto name = rule.state.begin(); name != rule.state.end(); ++name)
    require(is_state_name(*name) && std::find(rule.state.begin(), name, *name) == name,
            options.kind + " has state vectors whose names are empty, repeated, not printable or contain '/'");
  return rule;
}

}  // namespace

void check_learning_rate(double rate, const std::string& name) { require_amount(rate, name); }

void refuse_momentum(const OptimizerSettings& options) {
  require(options.momentum == 0 && !options.nesterov, options.kind + " has no momentum");
}

UpdateRules::UpdateRules(const OptimizerSettings& options) : options_(options) {
  check(options);
  rules_.push_back({make_rule(options)});
  for (const ParameterGroup& group : options.groups) {
    OptimizerSettings own = options;
    own.weight_decay = group.weight_decay.value_or(options.weight_decay);
    rules_.push_back({make_rule(own), group.learning_rate_factor});
    require(rules_.back().rule.state == rules_.front().rule.state,
            "groups of " + options.kind + " have different state vectors");
  }
}

UpdateRules::UpdateRules(const OptimizerSettings& options, UpdateRule rule) : options_(options) {
  check(options);
  rules_.push_back({std::move(rule)});
}

double UpdateRules::learning_rate(std::int64_t step) const {
  if (!options_.learning_rate_at) return options_.learning_rate * schedule_factor(options_.schedule, step);
  const double rate = options_.learning_rate_at(step);
  check_learning_rate(rate, "learning_rate(" + std::to_string(step) + ")");
  return rate;
}

float UpdateRules::clip_factor(double norm) const {
  return clips() && std::isfinite(norm) ? static_cast<float>(std::min(1.0, options_.clip_norm / (norm + 1e-6))) : 1.0F;
}

std::vector<UpdateFunction> UpdateRules::prepare(const UpdateStep& step) const {
  std::vector<UpdateFunction> prepared;
  prepared.reserve(rules_.size());
  for (const GroupRule& each : rules_)
    prepared.push_back(each.rule.prepare({step.learning_rate * each.learning_rate_factor, step.step, step.updates}));
  return prepared;
}

}  // namespace troupe
