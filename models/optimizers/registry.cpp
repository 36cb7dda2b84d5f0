#include "models/optimizers/registry.hpp"

#include <exception>
#include <string>
#include <utility>

#include "models/optimizers/builtin_rules.hpp"
#include "runtime/invalid.hpp"
#include "runtime/registry.hpp"
#include "troupe/error.hpp"

namespace troupe {
namespace {

/// Calls `work`, which calls a user's rule, and returns its result. If `work` throws, adds the name of the rule to the
/// error.
template <class Work>
auto named(const std::string& name, const Work& work) {
  try {
    return work();
  } catch (const Error& error) {
    throw Error(error.code(), "optimizer '" + name + "': " + error.message(), error.where());
  } catch (const std::exception& error) {
    throw Error(ErrorCode::model_failed, "optimizer '" + name + "': " + error.what());
  } catch (...) {
    throw Error(ErrorCode::model_failed, "optimizer '" + name + "' threw an object that is not a std::exception");
  }
}

bool wrote_finite(const UpdateChunk& chunk, std::size_t state_vectors) {
  bool finite = all_finite({chunk.new_weights, chunk.count});
  for (std::size_t vector = 0; vector < state_vectors; ++vector)
    finite = finite && all_finite({chunk.new_state[vector], chunk.count});
  return finite;
}

/// Returns a function that calls `update`, the update function of a user's rule. If `update` throws, the name of the
/// rule is added to the error. If `update` is empty, throws an error. The returned function also checks all values that
/// the rule writes, because values that are not finite must never be committed.
UpdateFunction watched(const std::string& name, UpdateFunction update, std::size_t state_vectors) {
  if (!update) throw Error(ErrorCode::model_failed, "prepare() returned no function");
  return [name, update = std::move(update), state_vectors](const UpdateChunk& chunk) {
    return named(name, [&] { return update(chunk) && wrote_finite(chunk, state_vectors); });
  };
}

MakeRule watched(const std::string& name, MakeUpdateRule make) {
  return [name, make = std::move(make)](const OptimizerSettings& settings) {
    const auto options = std::get<RegisteredOptimizer>(optimizer_of(settings));
    UpdateRule rule = named(name, [&] { return make(options); });
    if (!rule.prepare) return rule;  // the caller rejects rules without `prepare`
    rule.prepare = [name, prepare = std::move(rule.prepare), count = rule.state.size()](const UpdateStep& step) {
      return named(name, [&] { return watched(name, prepare(step), count); });
    };
    return rule;
  };
}

MakeRule built_in(MakeRule make) {
  return [make = std::move(make)](const OptimizerSettings& settings) {
    if (!settings.options.empty()) throw_invalid("optimizer: " + settings.kind + " has no options");
    return make(settings);
  };
}

/// Creates the registry of update rules with the built-in rules, so that their names are taken even in programs that
/// never call `init`.
Registry<MakeRule>* make_registry() {
  auto* made = new Registry<MakeRule>("optimizer");
  made->add("sgd", built_in(make_sgd));
  made->add("adagrad", built_in(make_adagrad));
  made->add("adam", built_in(make_adam));
  made->add("adamw", built_in(make_adamw));
  return made;
}

Registry<MakeRule>& known_rules() {
  // The registry is never destroyed, because threads of abandoned replicas may still run after main has returned.
  static auto& registered = *make_registry();
  return registered;
}

}  // namespace

void register_optimizer(const std::string& name, MakeUpdateRule make) {
  known_rules().add(name, make ? watched(name, std::move(make)) : MakeRule());
}

const MakeRule& find_optimizer(const std::string& name) { return known_rules().find(name); }

}  // namespace troupe
