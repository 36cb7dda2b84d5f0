#include "actors/worker/functions.hpp"

namespace troupe {

Functions& functions() {
  static Functions& known = *new Functions;  // never destroyed: replicas that were given up may outlive main
  return known;
}

void register_model_function(const std::string& name, ModelFunction function) {
  functions().of_models.add(name, std::move(function));
}

void register_worker_function(const std::string& name, WorkerFunction function) {
  functions().of_workers.add(name, std::move(function));
}

}  // namespace troupe
