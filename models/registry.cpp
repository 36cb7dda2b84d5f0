#include "models/registry.hpp"

#include <utility>

#include "runtime/registry.hpp"

namespace troupe {
namespace {

Registry<CreateModel>& registry() {
  static auto& registered = *new Registry<CreateModel>("model");  // never destroyed: replicas that were given up may
  return registered;                                              // outlive main
}

}  // namespace

void register_model(const std::string& name, CreateModel create) { registry().add(name, std::move(create)); }

const CreateModel& find_model(const std::string& name) { return registry().find(name); }

}  // namespace troupe
