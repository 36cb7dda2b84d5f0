#include "models/optimizers/optimizer.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "models/optimizers/finite.hpp"
#include "models/optimizers/schedule.hpp"
#include "troupe/error.hpp"

namespace troupe {
namespace {

void require(bool holds, const std::string& what) {
  if (!holds) throw Error(ErrorCode::invalid_argument, "optimizer: " + what);
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
  require(!options.nesterov || options.momentum > 0, "nesterov needs a momentum");
  require(options.kind == "sgd" || options.momentum == 0, options.kind + " takes no momentum");
  check_schedule(options.schedule);
}

const UpdateRule& find_rule(const OptimizerOptions& options) {
  if (options.kind == "adagrad") return kAdagrad;
  if (options.kind == "adam") return kAdam;
  require(options.kind == "sgd", "no kind '" + options.kind + "'; there are sgd, adagrad and adam");
  if (options.momentum == 0) return kPlainSgd;
  return options.nesterov ? kNesterovSgd : kMomentumSgd;
}

}  // namespace

Optimizer::Optimizer(const OptimizerOptions& options) : options_(options), rule_(&find_rule(options)) {
  check(options);
}

double Optimizer::learning_rate(std::int64_t step) const {
  return options_.learning_rate * schedule_factor(options_.schedule, step);
}

UpdateStep Optimizer::prepare(std::int64_t step, std::int64_t updates) const {
  double rate = learning_rate(step);
  UpdateStep prepared;
  if (rule_ == &kAdam) {
    const auto count = static_cast<double>(updates + 1);
    rate /= 1 - std::pow(options_.beta1, count);
    prepared.root_correction2 = static_cast<float>(std::sqrt(1 - std::pow(options_.beta2, count)));
  }
  prepared.learning_rate = static_cast<float>(rate);
  prepared.momentum = static_cast<float>(options_.momentum);
  prepared.weight_decay = static_cast<float>(options_.weight_decay);
  prepared.beta1 = static_cast<float>(options_.beta1);
  prepared.beta2 = static_cast<float>(options_.beta2);
  prepared.one_minus_beta1 = static_cast<float>(1 - options_.beta1);
  prepared.one_minus_beta2 = static_cast<float>(1 - options_.beta2);
  // Zero by zero, as padding has it, is to stay zero.
  prepared.epsilon = std::max(static_cast<float>(options_.epsilon), std::numeric_limits<float>::min());
  return prepared;
}

bool Optimizer::update(const UpdateStep& step, std::size_t count, const float* gradient_mean, const float* weights,
                       float* new_weights, const float* const* state, float* const* new_state) const {
  return is_finite(rule_->kernel(step, count, gradient_mean, weights, new_weights, state, new_state));
}

}  // namespace troupe
