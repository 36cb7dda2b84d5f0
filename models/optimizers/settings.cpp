#include "models/optimizers/settings.hpp"

#include "models/optimizers/registry.hpp"
#include "runtime/invalid.hpp"

namespace troupe {
namespace {

template <class Kind>
constexpr const char* kName = nullptr;
template <>
constexpr const char* kName<Sgd> = "sgd";
template <>
constexpr const char* kName<Adagrad> = "adagrad";
template <>
constexpr const char* kName<Adam> = "adam";
template <>
constexpr const char* kName<AdamW> = "adamw";

template <class Kind>
std::string name_of(const Kind& /*kind*/) {
  return kName<Kind>;
}
std::string name_of(const RegisteredOptimizer& kind) { return kind.name; }

/// Calls `copy(member of kind, member of settings)` for each member that not all kinds of optimizers have. `copy`
/// assigns the first one to the second one, or the second one to the first one.
template <class Copy>
void own_members(Sgd& kind, OptimizerSettings& settings, const Copy& copy) {
  copy(kind.momentum, settings.momentum);
  copy(kind.nesterov, settings.nesterov);
}
template <class Copy>
void own_members(Adagrad& kind, OptimizerSettings& settings, const Copy& copy) {
  copy(kind.epsilon, settings.epsilon);
}
template <class Kind, class Copy>
requires std::is_same_v<Kind, Adam> || std::is_same_v<Kind, AdamW>
void own_members(Kind& kind, OptimizerSettings& settings, const Copy& copy) {
  copy(kind.beta1, settings.beta1);
  copy(kind.beta2, settings.beta2);
  copy(kind.epsilon, settings.epsilon);
}
template <class Copy>
void own_members(RegisteredOptimizer& kind, OptimizerSettings& settings, const Copy& copy) {
  copy(kind.name, settings.kind);
  copy(kind.options, settings.options);
}

LearningRate rate_of(const OptimizerSettings& settings) {
  if (settings.learning_rate_at) return {settings.learning_rate, settings.learning_rate_at};
  return {settings.learning_rate, settings.schedule};
}

template <class Kind>
Kind kind_of(OptimizerSettings settings) {
  if (!std::is_same_v<Kind, Sgd> && (settings.momentum != 0 || settings.nesterov))
    throw_invalid("optimizer: " + settings.kind + " has no momentum");
  Kind kind;
  kind.learning_rate = rate_of(settings);
  kind.weight_decay = settings.weight_decay;
  kind.groups = settings.groups;
  own_members(kind, settings, [](auto& its, const auto& value) { its = value; });
  return kind;
}

}  // namespace

LearningRate::LearningRate(double rate, Function function) : rate_(rate), function_(std::move(function)) {
  if (!function_) throw_invalid("the learning rate function is empty");
}

std::string to_string(const Optimizer& optimizer) {
  return std::visit([](const auto& kind) { return name_of(kind); }, optimizer);
}

OptimizerSettings settings_of(const Optimizer& optimizer, double clip_norm) {
  OptimizerSettings settings;
  settings.clip_norm = clip_norm;
  std::visit(
      [&](auto kind) {
        settings.kind = name_of(kind);
        settings.learning_rate = kind.learning_rate.rate();
        settings.schedule = kind.learning_rate.schedule();
        settings.learning_rate_at = kind.learning_rate.function();
        settings.weight_decay = kind.weight_decay;
        settings.groups = kind.groups;
        own_members(kind, settings, [](const auto& its, auto& value) { value = its; });
      },
      optimizer);
  return settings;
}

Optimizer usual_optimizer(const std::string& name) {
  if (name == kName<Sgd>) return Sgd();
  if (name == kName<Adagrad>) return Adagrad();
  if (name == kName<Adam>) return Adam();
  if (name == kName<AdamW>) return AdamW();
  find_optimizer(name);
  return RegisteredOptimizer{.name = name};
}

Optimizer optimizer_of(const OptimizerSettings& settings) {
  return std::visit([&]<class Kind>(const Kind& /*usual*/) -> Optimizer { return kind_of<Kind>(settings); },
                    usual_optimizer(settings.kind));
}

}  // namespace troupe
