#include "actors/functions/function_table.hpp"

#include "runtime/printable.hpp"
#include "runtime/suggestion.hpp"

namespace troupe {

void check_function_name(const std::string& name) {
  constexpr std::size_t kLongest = 200;
  if (name.empty() || name.size() > kLongest || name.front() == '#' || !is_printable(name))
    throw_invalid("the name of a function must not be empty, unprintable, too long or begin with '#'");
}

void throw_unknown_function(const std::string& name, const std::vector<std::string>& known, const char* registering) {
  std::string listed;
  for (const std::string& each : known) listed += (listed.empty() ? "there are " : ", ") + each;
  if (listed.empty()) listed = std::string("none is: call ") + registering + " before init";
  throw_invalid("no function named '" + printable(name) + "' is registered; " + listed + did_you_mean(name, known));
}

Functions& functions() {
  static Functions& known = *new Functions;  // never destroyed, because abandoned threads may still call functions
  return known;
}

void register_model_function(const std::string& name, ModelFunction function) {
  functions().of_models.add(name, std::move(function));
}

void register_worker_function(const std::string& name, WorkerFunction function) {
  functions().of_workers.add(name, std::move(function));
}

void register_function(const std::string& name, TrainFunction function) {
  functions().of_trainers.add(name, {std::move(function)});
}

}  // namespace troupe
