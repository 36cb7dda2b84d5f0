#include "actors/worker/functions.hpp"

namespace troupe {
namespace {

template <class... Seen>
std::function<std::string(Seen..., const std::string&)> taking_argument(std::function<std::string(Seen...)> function) {
  if (!function) return nullptr;
  return [function = std::move(function)](Seen... seen, const std::string& argument) {
    if (!argument.empty()) throw Error(ErrorCode::invalid_argument, "the function takes no argument");
    return function(seen...);
  };
}

}  // namespace

ModelFunctionWithArgument with_argument(ModelFunction function) { return taking_argument(std::move(function)); }
WorkerFunctionWithArgument with_argument(WorkerFunction function) { return taking_argument(std::move(function)); }

Functions& functions() {
  static Functions& known = *new Functions;  // never destroyed: replicas that were given up may outlive main
  return known;
}

void register_model_function(const std::string& name, ModelFunction function) {
  register_model_function(name, with_argument(std::move(function)));
}

void register_model_function(const std::string& name, ModelFunctionWithArgument function) {
  functions().of_models.add(name, std::move(function));
}

void register_worker_function(const std::string& name, WorkerFunction function) {
  register_worker_function(name, with_argument(std::move(function)));
}

void register_worker_function(const std::string& name, WorkerFunctionWithArgument function) {
  functions().of_workers.add(name, std::move(function));
}

}  // namespace troupe
