#include "models/optimizers/registry.hpp"

#include <utility>

#include "models/optimizers/builtin_rules.hpp"
#include "models/optimizers/watched_rule.hpp"
#include "runtime/invalid.hpp"
#include "runtime/registry.hpp"

namespace troupe {
namespace {

MakeRule built_in(MakeRule make) {
  return [make = std::move(make)](const OptimizerSettings& settings) {
    if (!settings.options.empty()) throw_invalid("optimizer: " + settings.kind + " takes no options by their names");
    return make(settings);
  };
}

/// With those that are built in: their names are taken, and they are there in programs that never call `init`.
Registry<MakeRule>* make_registry() {
  auto* made = new Registry<MakeRule>("optimizer");
  made->add("sgd", built_in(make_sgd));
  made->add("adagrad", built_in(make_adagrad));
  made->add("adam", built_in(make_adam));
  made->add("adamw", built_in(make_adamw));
  return made;
}

Registry<MakeRule>& known_rules() {
  static auto& registered = *make_registry();  // never destroyed: replicas that were given up may outlive main
  return registered;
}

}  // namespace

void register_optimizer(const std::string& name, MakeUpdateRule make) {
  known_rules().add(name, make ? watched(name, std::move(make)) : MakeRule());
}

const MakeRule& find_optimizer(const std::string& name) { return known_rules().find(name); }

}  // namespace troupe
