#include "models/registry.hpp"

#include <utility>

#include "runtime/registry.hpp"

namespace troupe {
namespace {

Registry<CreateModel>& known_models() {
  // The registry is never destroyed, because threads of abandoned replicas may still use it after main has returned.
  static auto& registered = *new Registry<CreateModel>("model", " (troupe::init registers Troupe's own)");
  return registered;
}

}  // namespace

void register_model(const std::string& name, CreateModel create) { known_models().add(name, std::move(create)); }

const CreateModel& find_model(const std::string& name) { return known_models().find(name); }

}  // namespace troupe
