#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "runtime/invalid.hpp"
#include "troupe/call.hpp"
#include "troupe/function.hpp"

namespace troupe {

/// @throws Error invalid_argument for what names no function
void check_function_name(const std::string& name);

/// @param registering what makes functions of this kind known
[[noreturn]] void throw_unknown_function(const std::string& name, const std::vector<std::string>& known,
                                         const char* registering);

/// Functions of one kind that a process knows by name: those that are registered, and others for as long as they are
/// lent.
template <class F>
class FunctionTable {
 public:
  /// @param registering what users call to make one known
  explicit FunctionTable(const char* registering) : registering_(registering) {}

  /// @throws Error invalid_argument for an empty function, or a name that is taken or cannot be
  void add(const std::string& name, F function) {
    check_function_name(name);
    if (!function) throw_invalid("function '" + name + "' has no body");
    const std::lock_guard lock(mutex_);
    if (!functions_.emplace(name, std::move(function)).second)
      throw_invalid("function '" + name + "' is registered already");
  }
  /// @throws Error invalid_argument that lists what is registered
  F find(const std::string& name) const {
    const std::lock_guard lock(mutex_);
    if (const auto found = functions_.find(name); found != functions_.end()) return found->second;
    std::vector<std::string> registered;
    for (const auto& [known, function] : functions_)
      if (known.front() != kLent) registered.push_back(known);
    throw_unknown_function(name, registered, registering_);
  }

  /// A function that has a name, which no registered one can have, for as long as this lives.
  class Loan {
   public:
    Loan(FunctionTable& table, F function) : table_(table) {
      const std::lock_guard lock(table_.mutex_);
      name_ = kLent + std::to_string(++table_.last_);
      table_.functions_.emplace(name_, std::move(function));
    }
    ~Loan() {
      const std::lock_guard lock(table_.mutex_);
      table_.functions_.erase(name_);
    }
    Loan(const Loan&) = delete;
    Loan& operator=(const Loan&) = delete;

    const std::string& name() const { return name_; }

   private:
    FunctionTable& table_;
    std::string name_;
  };

 private:
  static constexpr char kLent = '#';

  const char* registering_;
  mutable std::mutex mutex_;
  std::map<std::string, F> functions_;
  std::uint64_t last_ = 0;
};

/// What a trainer's workers run, with the data that is lent to them beside it.
struct TrainTask {
  TrainFunction function;
  std::vector<TrainingData> datasets = {};  ///< by value; in the place of each that has a name, none

  explicit operator bool() const { return static_cast<bool>(function); }
};

/// What a process knows.
struct Functions {
  FunctionTable<ModelFunction> of_models{"register_model_function"};
  FunctionTable<WorkerFunction> of_workers{"register_worker_function"};
  FunctionTable<TrainTask> of_trainers{"register_function"};
};

/// This process's.
Functions& functions();

}  // namespace troupe
