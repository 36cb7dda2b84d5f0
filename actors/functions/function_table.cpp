#include "actors/functions/function_table.hpp"

#include "runtime/invalid.hpp"
#include "runtime/printable.hpp"
#include "runtime/suggestion.hpp"

namespace troupe {

void TrainFunctions::add(const std::string& name, TrainFunction function) {
  if (name.empty() || name.size() > 200 || name.front() == '#' || !is_printable(name))
    throw_invalid("the name of a function is empty, cannot be shown, is too long or begins with '#'");
  if (!function) throw_invalid("function '" + name + "' has no body");
  const std::lock_guard lock(mutex_);
  if (!registered_.emplace(name, std::move(function)).second)
    throw_invalid("function '" + name + "' is registered already");
}

TrainFunction TrainFunctions::find(const std::string& name) {
  const std::lock_guard lock(mutex_);
  if (const auto lent = lent_.find(name); lent != lent_.end() && lent->second.function) return lent->second.function;
  if (const auto found = registered_.find(name); found != registered_.end()) return found->second;
  std::vector<std::string> names;
  std::string listed;
  for (const auto& [known, function] : registered_) {
    names.push_back(known);
    listed += (listed.empty() ? "there are " : ", ") + known;
  }
  throw_invalid("no function named '" + printable(name) + "' is registered; " +
                (listed.empty() ? "none is: register_function makes one known, before init" : listed) +
                did_you_mean(name, names));
}

std::string TrainFunctions::lend(Lent lent) {
  const std::lock_guard lock(mutex_);
  std::string name = '#' + std::to_string(++last_);
  lent_.emplace(name, std::move(lent));
  return name;
}

void TrainFunctions::take_back(const std::string& name) {
  const std::lock_guard lock(mutex_);
  lent_.erase(name);
}

std::vector<TrainingData> TrainFunctions::data_of(const std::string& name) {
  const std::lock_guard lock(mutex_);
  const auto lent = lent_.find(name);
  return lent == lent_.end() ? std::vector<TrainingData>() : lent->second.datasets;
}

TrainFunctions& train_functions() {
  static TrainFunctions functions;
  return functions;
}

void register_function(const std::string& name, TrainFunction function) {
  train_functions().add(name, std::move(function));
}

}  // namespace troupe
