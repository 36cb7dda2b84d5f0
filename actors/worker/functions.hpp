#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "troupe/call.hpp"

namespace troupe {

/// Functions of one kind by name.
template <class F>
class FunctionTable {
 public:
  /// @throws Error invalid_argument for an empty function or a name that is taken.
  void add(const std::string& name, F function) {
    const std::lock_guard lock(mutex_);
    if (name.empty() || !function) throw Error(ErrorCode::invalid_argument, "a function needs a name and a body");
    if (!functions_.emplace(name, std::move(function)).second)
      throw Error(ErrorCode::invalid_argument, "a function named '" + name + "' is registered already");
  }
  void remove(const std::string& name) {
    const std::lock_guard lock(mutex_);
    functions_.erase(name);
  }
  /// @throws Error invalid_argument when there is none of that name.
  F find(const std::string& name) {
    const std::lock_guard lock(mutex_);
    const auto found = functions_.find(name);
    if (found == functions_.end())
      throw Error(ErrorCode::invalid_argument, "no function named '" + name + "' is registered");
    return found->second;
  }

 private:
  std::mutex mutex_;
  std::map<std::string, F> functions_;
};

/// The functions that a process knows by name, and those that its user gave by value for the time of a call.
struct Functions {
  FunctionTable<ModelFunction> of_models;
  FunctionTable<WorkerFunction> of_workers;
};

/// This process's.
Functions& functions();

}  // namespace troupe
